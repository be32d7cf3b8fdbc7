package io.verbena.bench.channels;

/** What a guilty channel does. */
enum Guilt {
    /** It offers messages that its inbox does not take, which is the victims' inbox. */
    TOO_LONG("messages too long for the inbox that all share"),
    /** It sends the longest messages that its inbox takes, which is the victims' inbox. */
    LONG("messages of 1 MiB to the inbox that all share"),
    /** Nobody takes its messages. */
    FULL_INBOX("full inbox"),
    /** Its inbox closes under it; it connects again, for ever. */
    CLOSED_INBOX("inbox that closes every 5 ms"),
    /** The process of its receiver is killed. */
    KILLED_RECEIVER("receiver that is killed");

    private final String text;

    Guilt(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
