package io.verbena.kv.store;

/** A client has as many streams open as it may; the shard answers the request with an error. */
final class TooManyStreamsException extends RuntimeException {
    TooManyStreamsException() {
        super("a client has " + ClientTransfers.MAX_STREAMS + " streams open");
    }
}
