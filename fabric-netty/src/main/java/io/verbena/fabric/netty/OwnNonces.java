package io.verbena.fabric.netty;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The nonces of connections whose ends in this process are in their hellos: by them a NIC that is connected to itself
 * knows that the other end is its own. Thread-safe.
 */
final class OwnNonces {
    private static final Set<Nonce> NONCES = ConcurrentHashMap.newKeySet();

    private OwnNonces() {}

    private record Nonce(long high, long low) {
        static Nonce of(byte[] bytes) {
            UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            return new Nonce(buffer.getLong(0), buffer.getLong(Long.BYTES));
        }
    }

    static void add(byte[] nonce) {
        NONCES.add(Nonce.of(nonce));
    }

    static void remove(byte[] nonce) {
        NONCES.remove(Nonce.of(nonce));
    }

    static boolean contain(byte[] nonce) {
        return NONCES.contains(Nonce.of(nonce));
    }

    static int size() {
        return NONCES.size();
    }
}
