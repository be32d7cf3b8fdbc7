package io.verbena.bench.kv;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** Keys, and the value that each of them has for good, different from the others'. Immutable. */
final class KeySet {
    private final UnsafeBuffer[] keys;
    private final UnsafeBuffer[] values;

    /**
     * Makes them up.
     *
     * @param count at least 1
     * @param valueLength in bytes
     */
    KeySet(int count, int valueLength) {
        keys = new UnsafeBuffer[count];
        values = new UnsafeBuffer[count];
        for (int i = 0; i < count; i++) {
            keys[i] = new UnsafeBuffer(("key:%012d".formatted(i)).getBytes(StandardCharsets.US_ASCII));
            byte[] value = new byte[valueLength];
            new SplittableRandom(i).nextBytes(value);
            values[i] = new UnsafeBuffer(value);
        }
    }

    int size() {
        return keys.length;
    }

    UnsafeBuffer key(int number) {
        return keys[number];
    }

    UnsafeBuffer value(int number) {
        return values[number];
    }
}
