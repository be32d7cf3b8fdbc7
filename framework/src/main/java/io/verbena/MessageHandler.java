package io.verbena;

/** Takes the messages of an {@link Inbox}. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Takes one message.
     *
     * @param message a cursor, valid during the call only; it and the memory that it points to are reused
     */
    void onMessage(Message message);
}
