package io.verbena.papers.receive;

/**
 * The receiving end of a {@link Scheme}: takes the messages of any number of senders. For one thread, which must drive
 * the engine where its mode leaves that to callers; {@link #poll} does when it finds nothing.
 *
 * <pre>{@code
 *   SchemeAddress invitation = receiver.invite();
 *   receiver.accept(sender.connect(invitation));       // the NICs are linked
 *   while (running) {
 *       receiver.maintain(clock.nanoTime());
 *       receiver.poll(sink, 64);
 *   }
 * }</pre>
 */
public interface ReceiveScheme extends AutoCloseable {
    /** What it is called in tables. */
    String label();

    /** Makes queue pairs for one more sender, and says where it finds them. */
    SchemeAddress invite();

    /** Connects the queue pairs of an invitation with those of the sender that answered it; the NICs are linked. */
    void accept(SchemeAddress answer);

    /** Closes the queue pairs of a sender that is gone. Messages of it that have come are still handed out. */
    void dismiss(int sender);

    /**
     * Takes messages that have come. A sender's messages keep their order as far as they come by the same queue pair.
     *
     * @param sink takes each
     * @param limit most messages, at least 1; a hint
     * @return messages taken
     */
    int poll(MessageSink sink, int limit);

    /**
     * Does what is due: hands memory back, or out. To be called again and again, before {@link #poll}; what happens
     * there is taken to happen now.
     *
     * @param nowNanos of any clock that does not run backwards
     * @return work done
     */
    int maintain(long nowNanos);

    /**
     * Places of messages that a sender began and did not end, and that were given up; 0 where there is no such thing.
     */
    default long holes() {
        return 0;
    }

    /** The memory that it holds now. */
    SchemeFootprint footprint();

    /** Gives everything back; senders that are still there fail. Idempotent. */
    @Override
    void close();
}
