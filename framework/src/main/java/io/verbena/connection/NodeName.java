package io.verbena.connection;

/** What can name a node: names become parts of addresses and of file names. */
public final class NodeName {
    /** Characters of the longest one. */
    static final int MAX_LENGTH = 64;

    private NodeName() {}

    /** Whether a text can name a node. */
    public static boolean isValid(String text) {
        return text.length() <= MAX_LENGTH && text.matches("[A-Za-z0-9_-][A-Za-z0-9._-]*");
    }
}
