package io.verbena.nic.queue;

/**
 * What fills a queue pair's send ring where many post to queues of their own: the engine asks it when it has sent all
 * that the ring holds. So which request is next is decided as late as possible.
 *
 * <p>Used under the engine's baton. Nothing here blocks or throws.
 */
public interface SendSource {
    /**
     * Lays requests into a ring, as many as it likes and as there is room for, and publishes them.
     *
     * @param ring whose published requests have all been sent
     */
    void fill(SendRing ring);

    /**
     * Requests are complete.
     *
     * @param before the number of the first request of the ring that is not
     */
    void completed(long before);

    /** The queue pair's weight among those of its group while these have something to send, at least 1. */
    int weight();
}
