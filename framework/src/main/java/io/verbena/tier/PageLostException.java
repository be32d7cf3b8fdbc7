package io.verbena.tier;

import java.io.Serial;

/**
 * Bytes are lost, because the last peer that had them is. Writing the whole page makes it valid again. The message
 * names the range and the peer.
 */
public final class PageLostException extends PagedMemoryException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final long offset;
    private final int length;
    private final String peer;

    PageLostException(long offset, int length, String peer) {
        super("bytes " + offset + " to " + (offset + length - 1) + " are lost with " + peer
                + ", which alone had them; write the whole page to use it again");
        this.offset = offset;
        this.length = length;
        this.peer = peer;
    }

    /** Offset of the lost page. */
    public long offset() {
        return offset;
    }

    /** Its length in bytes. */
    public int length() {
        return length;
    }

    /** Who had it. */
    public String peer() {
        return peer;
    }
}
