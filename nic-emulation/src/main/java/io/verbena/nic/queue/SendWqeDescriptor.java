package io.verbena.nic.queue;

import org.agrona.BitUtil;

/**
 * Layout of a work queue element in a send ring. Written by the poster, the values of atomics only for them; the two
 * PSNs are written by the requester when the request is first sent, the word after them by whoever cuts messages into
 * slices. The first word is written and read as one.
 *
 * <pre>
 *   0        1        2        3        4                        8
 *  +--------+--------+--------+--------+------------------------+
 *  | opcode | flags  | sges   |   0    | message length         |
 *  +--------+--------+--------+--------+------------------------+
 *  | work request id                                            |  8
 *  +-----------------------------------+------------------------+
 *  | immediate, key to invalidate or   | remote key / queue key | 16
 *  | access of a window                | / new key of a window  |
 *  +-----------------------------------+------------------------+
 *  | remote offset / append queue id (4), stream (4) / offset of a window | 24
 *  +------------------------------------------------------------+
 *  | swap value or addend              | or: address handle (4), destination QP (4) | 32
 *  |                                   | or: key of a window's region (8)           |
 *  +------------------------------------------------------------+
 *  | compare value                     | or: Q_Key (4), or: length of a window (8)  | 40
 *  +-----------------------------------+------------------------+
 *  | first PSN                         | last PSN               | 48
 *  +-----------------------------------+------------------------+
 *  | length of a slice's or part's     | which slice of it      | 56
 *  | message                           |                        |
 *  +------------------------------------------------------------+
 *  | scatter/gather entries of 16 bytes, or inline data         | 64
 *  |   local key (4), length (4), offset (8)                    |
 * </pre>
 */
public final class SendWqeDescriptor {
    /** Flag: a completion is wanted also for success. */
    public static final int SIGNALED = 1;
    /** Flag: the receiver's completion is a solicited one. */
    public static final int SOLICITED = 2;
    /** Flag: wait for earlier READs and atomics of the queue pair. */
    public static final int FENCE = 4;
    /** Flag: the data lies in the element itself. */
    public static final int INLINE = 8;
    /** Flag: carries immediate data. */
    public static final int IMMEDIATE = 16;
    /** Flag: makes a key void at the peer. */
    public static final int INVALIDATE = 32;
    /** Flag of a part of an append: not the first. */
    public static final int CONTINUES = 64;
    /** Flag of a part of an append: not the last. */
    public static final int UNFINISHED = 128;
    /** Flags that a part of an append has, and a request that is whole has not. */
    public static final int PART = CONTINUES | UNFINISHED;

    /** Offset of the word of opcode, flags, number of entries and message length. */
    public static final int HEADER = 0;
    /** Offset of the opcode, a {@link io.verbena.nic.verbs.WcOpcode} ordinal. */
    public static final int OPCODE = 0;
    /** Offset of the flags. */
    public static final int FLAGS = 1;
    /** Offset of the number of scatter/gather entries. */
    public static final int SGE_COUNT = 2;
    /** Offset of the message length in bytes. */
    public static final int LENGTH = 4;
    /** Offset of the work request id. */
    public static final int WR_ID = 8;
    /** Offset of the immediate data, of a key to invalidate, or of the access flags of a window to bind. */
    public static final int IMMEDIATE_DATA = 16;
    /** Offset of the remote key, of the append queue's key, or of the new key of a window to bind. */
    public static final int REMOTE_KEY = 20;
    /** Offset of the remote offset, of the append queue's id, or of where a window begins in its region. */
    public static final int REMOTE_OFFSET = 24;
    /** Offset of an append's stream. */
    public static final int STREAM = 28;
    /** Offset of the swap value or addend. */
    public static final int SWAP_OR_ADD = 32;
    /** Offset of the compare value. */
    public static final int COMPARE = 40;
    /** Offset of a datagram's address handle. */
    public static final int ADDRESS = 32;
    /** Offset of a datagram's destination queue pair. */
    public static final int DESTINATION_QP = 36;
    /** Offset of a datagram's Q_Key. */
    public static final int QKEY = 40;
    /** Offset of the key of the region that a window is bound to. */
    public static final int REGION_KEY = 32;
    /** Offset of the length of a window to bind, 8 bytes. */
    public static final int WINDOW_LENGTH = 40;
    /** Offset of the PSN of the request's first packet. */
    public static final int FIRST_PSN = 48;
    /** Offset of the PSN of the request's last packet. */
    public static final int LAST_PSN = 52;
    /** Offset of the length of the message that a slice or part is of. */
    public static final int MESSAGE_LENGTH = 56;
    /** Offset of the flags that say where in its message a slice is. */
    public static final int SLICE = 60;
    /** Offset of scatter/gather entries or inline data. */
    public static final int DATA = 64;

    /** Bytes of a scatter/gather entry. */
    public static final int SGE_LENGTH = 16;
    /** Offset of the local key in an entry. */
    public static final int SGE_KEY = 0;
    /** Offset of the length in an entry. */
    public static final int SGE_BYTES = 4;
    /** Offset of the region offset in an entry. */
    public static final int SGE_OFFSET = 8;

    private static final int FLAGS_SHIFT = 8;
    private static final int SGES_SHIFT = 16;
    private static final int LENGTH_SHIFT = 32;

    private SendWqeDescriptor() {}

    /** The word at {@link #HEADER}. Opcode, flags and entries are bytes, little-endian like all of the layout. */
    public static long header(int opcode, int flags, int entries, int length) {
        return opcode
                | ((long) flags << FLAGS_SHIFT)
                | ((long) entries << SGES_SHIFT)
                | ((long) length << LENGTH_SHIFT);
    }

    /** Opcode in a header word. */
    public static int opcode(long header) {
        return (int) header & 0xFF;
    }

    /** Flags in a header word. */
    public static int flags(long header) {
        return (int) (header >>> FLAGS_SHIFT) & 0xFF;
    }

    /** Scatter/gather entries in a header word. */
    public static int entries(long header) {
        return (int) (header >>> SGES_SHIFT) & 0xFF;
    }

    /** Message length in a header word. */
    public static int length(long header) {
        return (int) (header >>> LENGTH_SHIFT);
    }

    /** Two fields of 4 bytes as one word: immediate data and remote key, or key and length of an entry. */
    public static long pair(int first, int second) {
        return (first & 0xFFFF_FFFFL) | ((long) second << Integer.SIZE);
    }

    /** Bytes of a slot that holds this many entries or so much inline data, whichever is more. */
    public static int slotLength(int maxSge, int maxInline) {
        return DATA + BitUtil.align(Math.max(maxSge * SGE_LENGTH, maxInline), 64);
    }
}
