package io.verbena.file;

import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The attributes of a file as they were when they were asked for. Immutable. */
record Attributes(
        FileTime lastModifiedTime,
        FileTime lastAccessTime,
        FileTime creationTime,
        long size,
        boolean isDirectory,
        Object fileKey)
        implements BasicFileAttributes {
    /** The only view: there are no users. */
    static final String VIEW = "basic";

    private static final Map<String, Function<Attributes, Object>> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put("lastModifiedTime", Attributes::lastModifiedTime);
        BY_NAME.put("lastAccessTime", Attributes::lastAccessTime);
        BY_NAME.put("creationTime", Attributes::creationTime);
        BY_NAME.put("size", Attributes::size);
        BY_NAME.put("isRegularFile", Attributes::isRegularFile);
        BY_NAME.put("isDirectory", Attributes::isDirectory);
        BY_NAME.put("isSymbolicLink", Attributes::isSymbolicLink);
        BY_NAME.put("isOther", Attributes::isOther);
        BY_NAME.put("fileKey", Attributes::fileKey);
    }

    static Attributes of(Inode inode) {
        return new Attributes(
                inode.modified(), inode.accessed(), inode.created(), inode.size(), inode.isDirectory(), inode);
    }

    @Override
    public boolean isRegularFile() {
        return !isDirectory;
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return false;
    }

    // ---- by name ----------------------------------------------------------------------------------------------------

    /** Those of a list as {@code size,basic:creationTime} or {@code *}. */
    Map<String, Object> select(String list) {
        String names = withoutView(list);
        Map<String, Object> selected = new LinkedHashMap<>();
        for (String name : names.split(",", -1)) {
            if (name.equals("*")) {
                BY_NAME.forEach((each, getter) -> selected.put(each, getter.apply(this)));
            } else {
                selected.put(name, getter(name).apply(this));
            }
        }
        return selected;
    }

    private static Function<Attributes, Object> getter(String name) {
        Function<Attributes, Object> getter = BY_NAME.get(name);
        if (getter == null) {
            throw new IllegalArgumentException("attribute '" + name + "' is not known; there are " + BY_NAME.keySet());
        }
        return getter;
    }

    private static String withoutView(String names) {
        int colon = names.indexOf(':');
        if (colon >= 0 && !names.substring(0, colon).equals(VIEW)) {
            throw new UnsupportedOperationException("view '" + names.substring(0, colon) + "'; there is " + VIEW);
        }
        return names.substring(colon + 1);
    }

    /** Sets one by its name. */
    static void set(BasicFileAttributeView view, String attribute, @Nullable Object value) throws IOException {
        String name = withoutView(attribute);
        switch (name) {
            case "lastModifiedTime" -> view.setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> view.setTimes(null, (FileTime) value, null);
            case "creationTime" -> view.setTimes(null, null, (FileTime) value);
            default -> {
                getter(name);
                throw new IllegalArgumentException("attribute '" + name + "' cannot be set");
            }
        }
    }
}
