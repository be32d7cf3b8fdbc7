package io.verbena.connection;

/** What a peer has said of its end of a {@link Connection}: written once, while that is made. */
public final class PeerTerms {
    /** Name of its node; empty before it is known. */
    public String name = "";
    /** Number of its queue pair. */
    public int qp;
    /** Of which stream of that queue pair is what comes from it. */
    public int stream;
    /** Which of its node's tenants sends, by a number. */
    public int group;
    /** Where messages go to: the append queue of its inbox. */
    public int queueId;
    /** Of that queue; 0 if there is none. */
    public int queueKey;
    /** Bytes of the longest message. */
    public int maxMessage;
    /** Of its region. */
    public int regionKey;
    /** Bytes of its region. */
    public long regionLength;

    PeerTerms() {}
}
