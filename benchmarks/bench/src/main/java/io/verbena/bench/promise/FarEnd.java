package io.verbena.bench.promise;

/** The node that counts what arrives of each tenant. For one thread. */
interface FarEnd extends AutoCloseable {
    /**
     * Opens what a cell's messages go to, instead of what there was.
     *
     * @return the node's address, to which {@code /} and the inbox's name are appended
     */
    String open(Cell cell);

    /**
     * Bytes that have arrived of either tenant since it was opened, and how often its inboxes had no room.
     *
     * @throws io.verbena.verification.RunException if a message was not as it was sent
     */
    long[] counts();

    @Override
    void close();
}
