package io.verbena.fabric.netty;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Pieces of memory that are written to a socket as one, as the system wants them.
 *
 * <pre>
 *   struct iovec:  | 0  address  | 8  length  |
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class GatherList {
    /** Most pieces in it. */
    static final int MAX_PIECES = 128;

    private static final int LENGTH_OFFSET = Long.BYTES;
    private static final int PIECE = 2 * Long.BYTES;
    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();

    private final UnsafeBuffer vector =
            new UnsafeBuffer(ByteBuffer.allocateDirect(BitUtil.align(MAX_PIECES * PIECE, BitUtil.CACHE_LINE_LENGTH)));
    private final UnsafeBuffer piece = new UnsafeBuffer(0, 0);
    private int pieces;
    private long length;
    private long claimedAddress;
    private int claimedLength;

    /** Notes the payload of the packet that is being claimed; 0 bytes if it is copied. */
    void claim(long address, int bytes) {
        claimedAddress = address;
        claimedLength = bytes;
    }

    /** Bytes of the payload that was claimed. */
    int claimed() {
        return claimedLength;
    }

    /** Adds the payload that was claimed. */
    void addClaimed() {
        add(claimedAddress, claimedLength);
        claimedLength = 0;
    }

    void add(long address, int bytes) {
        if (bytes > 0) {
            int at = pieces++ * PIECE;
            vector.putLong(at, address, NATIVE);
            vector.putLong(at + LENGTH_OFFSET, bytes, NATIVE);
            length += bytes;
        }
    }

    /** Gives its memory back; it is not used any more. */
    void release() {
        ByteBuffer memory = vector.byteBuffer();
        vector.wrap(0, 0);
        if (memory != null) {
            BufferUtil.free(memory);
        }
    }

    void clear() {
        pieces = 0;
        length = 0;
    }

    int pieces() {
        return pieces;
    }

    /** Bytes of all pieces. */
    long length() {
        return length;
    }

    /** Where the system finds it. */
    long address() {
        return vector.addressOffset();
    }

    /** A piece's bytes, until the next call. */
    UnsafeBuffer piece(int index) {
        int at = index * PIECE;
        piece.wrap(vector.getLong(at, NATIVE), (int) vector.getLong(at + LENGTH_OFFSET, NATIVE));
        return piece;
    }
}
