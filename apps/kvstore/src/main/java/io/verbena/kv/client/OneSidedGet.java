package io.verbena.kv.client;

import io.verbena.kv.protocol.ReadIndexDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A GET under way by READs: what it asks for, and the set that it has read. For the thread that uses the reader. */
final class OneSidedGet {
    /** READs after which a GET goes as a request. */
    static final int MAX_READS = 2;

    /** What a READ has brought. */
    enum Finding {
        /** The value. */
        FOUND,
        /** The key has an entry that was being written. */
        TORN,
        /** The key is not published. */
        ABSENT
    }

    final UnsafeBuffer key;
    final UnsafeBuffer copy;
    int keyLength;
    int database;
    int shard;
    long correlation;
    int reads;
    private int found;

    /** Makes room for a key and for the set that it may be in. */
    OneSidedGet(int slotLength) {
        key = new UnsafeBuffer(new byte[slotLength - ReadIndexDescriptor.KEY_OFFSET]);
        copy = new UnsafeBuffer(new byte[slotLength * ReadIndexDescriptor.WAYS]);
    }

    void begin(int ofDatabase, int ofShard, DirectBuffer source, int offset, int length, long correlationId) {
        database = ofDatabase;
        shard = ofShard;
        key.putBytes(0, source, offset, length);
        keyLength = length;
        correlation = correlationId;
        reads = 0;
    }

    /** Looks for the key in the set that was read. */
    Finding find(int slotLength) {
        Finding finding = Finding.ABSENT;
        for (int slot = 0; slot < slotLength * ReadIndexDescriptor.WAYS; slot += slotLength) {
            if (ReadIndexDescriptor.isOf(copy, slot, database, key, 0, keyLength)) {
                if (ReadIndexDescriptor.isWhole(copy, slot, slotLength)) {
                    found = slot;
                    return Finding.FOUND;
                }
                if (ReadIndexDescriptor.version(copy, slot) != ReadIndexDescriptor.FREE) {
                    finding = Finding.TORN;
                }
            }
        }
        return finding;
    }

    /** Where the value that was found begins in {@link #copy}. */
    int valueOffset() {
        return found + ReadIndexDescriptor.KEY_OFFSET + keyLength;
    }

    /** Bytes of the value that was found. */
    int valueLength() {
        return ReadIndexDescriptor.valueLength(copy, found);
    }
}
