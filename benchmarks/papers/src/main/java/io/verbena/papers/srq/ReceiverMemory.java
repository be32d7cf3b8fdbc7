package io.verbena.papers.srq;

/**
 * Memory of a receiver, in bytes.
 *
 * @param queues queues that it is in
 * @param reserveBytes what messages fill while more memory is allocated
 * @param activeBytes what messages fill that have come and are not served yet
 */
public record ReceiverMemory(int queues, double reserveBytes, double activeBytes) {
    private static final double GB = 1e9;
    private static final double GIB = 1L << 30;

    /** Reserve and active memory. */
    public double totalBytes() {
        return reserveBytes + activeBytes;
    }

    /** The total in decimal gigabytes, 10^9. */
    public double gb() {
        return totalBytes() / GB;
    }

    /** The total in binary gigabytes, 2^30. The paper calls both GB. */
    public double gib() {
        return totalBytes() / GIB;
    }

    /** Of so many processes, each with queues and a reserve of its own, between which the messages are shared out. */
    public ReceiverMemory ofProcesses(int processes) {
        return new ReceiverMemory(queues * processes, reserveBytes * processes, activeBytes);
    }

    ReceiverMemory plus(ReceiverMemory other) {
        return new ReceiverMemory(
                queues + other.queues, reserveBytes + other.reserveBytes, activeBytes + other.activeBytes);
    }
}
