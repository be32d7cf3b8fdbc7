package io.verbena.bench.overflow;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.agrona.BufferUtil;

/**
 * Tells the kernel that the pages of a mapping are used at random (MADV_RANDOM). It then reads a page that is missing,
 * and not what lies around it, for which a disk's read-ahead of some MiB would throw out most of a small page cache.
 *
 * <p>By names: Java 17 has foreign functions in a module that is incubating, releases from 22 on have them for good.
 * Those between have neither to be used.
 */
final class MappingAdvice {
    private static final int MADV_RANDOM = 1;
    private static final int INCUBATING = 17;
    private static final int FINAL = 22;
    private static final String INCUBATOR = "jdk.incubator.foreign";

    private final MethodHandle madvise; // int madvise(void *address, size_t length, int advice)

    /** Looks the function up in a JVM that was started with {@link #jvmOptions}. */
    MappingAdvice() {
        try {
            madvise = Runtime.version().feature() >= FINAL ? linked() : linkedByIncubator();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM cannot call madvise: " + e, e);
        }
    }

    /** Whether JVMs of this release can give advice. */
    static boolean isAvailable() {
        int release = Runtime.version().feature();
        return release >= FINAL
                || (release == INCUBATING
                        && ModuleFinder.ofSystem().find(INCUBATOR).isPresent());
    }

    /** What a JVM of this release has to be started with in order to give advice. */
    static List<String> jvmOptions() {
        String access = "--enable-native-access=ALL-UNNAMED";
        return Runtime.version().feature() >= FINAL ? List.of(access) : List.of("--add-modules=" + INCUBATOR, access);
    }

    /** Advises that a mapping, which begins with a page, is used at random. */
    void random(ByteBuffer mapping) {
        int failed;
        try {
            failed = (int) madvise.invokeExact(BufferUtil.address(mapping), (long) mapping.capacity(), MADV_RANDOM);
        } catch (Throwable e) {
            throw new IllegalStateException("madvise cannot be called", e);
        }
        if (failed != 0) {
            throw new IllegalStateException("madvise has refused MADV_RANDOM for " + mapping.capacity() + " bytes");
        }
    }

    private static MethodHandle linked() throws ReflectiveOperationException {
        Class<?> linkers = Class.forName("java.lang.foreign.Linker");
        Class<?> options = Class.forName("java.lang.foreign.Linker$Option").arrayType();
        Class<?> segments = Class.forName("java.lang.foreign.MemorySegment");
        Class<?> lookups = Class.forName("java.lang.foreign.SymbolLookup");
        Class<?> descriptors = Class.forName("java.lang.foreign.FunctionDescriptor");
        Class<?> layouts = Class.forName("java.lang.foreign.ValueLayout");
        Object linker = linkers.getMethod("nativeLinker").invoke(null);
        Object lookup = linkers.getMethod("defaultLookup").invoke(linker);
        Object symbol = found(lookups.getMethod("find", String.class).invoke(lookup, "madvise"));
        Object descriptor = descriptor(descriptors, constant(layouts, "JAVA_INT"), constant(layouts, "JAVA_LONG"));
        return (MethodHandle) linkers.getMethod("downcallHandle", segments, descriptors, options)
                .invoke(linker, symbol, descriptor, Array.newInstance(options.getComponentType(), 0));
    }

    private static MethodHandle linkedByIncubator() throws ReflectiveOperationException {
        Class<?> linkers = Class.forName(INCUBATOR + ".CLinker");
        Class<?> addresses = Class.forName(INCUBATOR + ".Addressable");
        Class<?> lookups = Class.forName(INCUBATOR + ".SymbolLookup");
        Class<?> descriptors = Class.forName(INCUBATOR + ".FunctionDescriptor");
        Object linker = linkers.getMethod("getInstance").invoke(null);
        Object lookup = linkers.getMethod("systemLookup").invoke(null);
        Object symbol = found(lookups.getMethod("lookup", String.class).invoke(lookup, "madvise"));
        Object descriptor = descriptor(descriptors, constant(linkers, "C_INT"), constant(linkers, "C_LONG"));
        MethodType type = MethodType.methodType(int.class, long.class, long.class, int.class);
        return (MethodHandle) linkers.getMethod("downcallHandle", addresses, MethodType.class, descriptors)
                .invoke(linker, symbol, type, descriptor);
    }

    private static Object constant(Class<?> type, String name) throws ReflectiveOperationException {
        return type.getField(name).get(null);
    }

    private static Object found(Object symbol) throws NoSuchMethodException {
        if (symbol instanceof Optional<?> optional && optional.isPresent()) {
            return optional.get();
        }
        throw new NoSuchMethodException("madvise");
    }

    /** Of a function that takes two numbers of 64 bits and one of 32, and returns one of 32. */
    private static Object descriptor(Class<?> descriptors, Object int32, Object int64)
            throws ReflectiveOperationException {
        Class<?> layouts = Class.forName(descriptors.getPackageName() + ".MemoryLayout");
        Object arguments = Array.newInstance(layouts, 3);
        Array.set(arguments, 0, int64);
        Array.set(arguments, 1, int64);
        Array.set(arguments, 2, int32);
        return descriptors.getMethod("of", layouts, arguments.getClass()).invoke(null, int32, arguments);
    }
}
