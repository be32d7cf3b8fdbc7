package io.verbena.redis.resp;

/** The bytes of a bulk string that are not at hand when its head is written: whoever sends the head fetches them. */
public interface StreamedBody {
    /**
     * How many bytes it has.
     *
     * @return bytes
     */
    long length();

    /** Its bytes will not be sent. Idempotent. */
    void close();
}
