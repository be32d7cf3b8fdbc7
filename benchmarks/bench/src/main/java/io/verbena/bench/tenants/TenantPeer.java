package io.verbena.bench.tenants;

import io.verbena.verification.RunException;

/** The sink that a tenant sends to, from {@link TenantSink#address}: keys, and a queue pair for each of its own. */
@SuppressWarnings("ArrayRecordComponent")
record TenantPeer(long nic, int remoteKey, int queueId, int queueKey, int[] queuePairs) {
    private static final int WORDS = 3; // before the queue pairs

    /** Nobody yet. */
    static final TenantPeer NONE = new TenantPeer(0, 0, 0, 0, new int[0]);

    /** Parses an address of so many queue pairs. */
    static TenantPeer parse(long nic, String address, int count) {
        String[] words = address.split(" ", -1);
        if (words.length != count + WORDS) {
            throw new RunException(words.length - WORDS + " queue pairs of " + count);
        }
        int[] queuePairs = new int[count];
        for (int i = 0; i < count; i++) {
            queuePairs[i] = Integer.parseInt(words[i + WORDS]);
        }
        return new TenantPeer(
                nic, Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]), queuePairs);
    }
}
