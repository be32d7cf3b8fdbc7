package io.verbena.bench.check.messages;

/**
 * Whether a stream goes on: by messages that arrive, and between two of them by bytes that are sent. A long message on
 * a slow machine takes its time and has not stalled. Bytes count up to twice the longest message: a receiver that never
 * has room is sent the same packet again and again, which is no progress. For one thread.
 */
final class StreamProgress {
    private final long maxBytes;
    private long arrived;
    private long bytes;
    private long bytesAtArrival;

    /** Of a stream whose messages have at most this many bytes. */
    StreamProgress(int maxLength) {
        maxBytes = 2L * maxLength;
    }

    /**
     * Looks at a stream.
     *
     * @param arrivedNow messages that have arrived so far
     * @param bytesNow bytes that were sent so far, headers and repetitions included
     * @return whether it went on since the last look
     */
    boolean goesOn(long arrivedNow, long bytesNow) {
        boolean more = bytesNow > bytes;
        bytes = bytesNow;
        if (arrivedNow > arrived) {
            arrived = arrivedNow;
            bytesAtArrival = bytesNow;
            return true;
        }
        return more && bytesNow - bytesAtArrival <= maxBytes;
    }

    /** Messages that had arrived at the last look. */
    long arrived() {
        return arrived;
    }
}
