package io.verbena.kv.protocol;

/** A reply that exceeds the encoder's maximum; the shard answers with an error that names both sizes. */
public final class ReplyTooLargeException extends RuntimeException {
    /**
     * @param required bytes of the reply so far and of the value that did not fit
     * @param maximum of the encoder in bytes
     */
    public ReplyTooLargeException(long required, int maximum) {
        super("reply of " + required + " bytes > maximum " + maximum);
    }
}
