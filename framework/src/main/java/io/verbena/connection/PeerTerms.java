package io.verbena.connection;

/**
 * What a peer has said of its end of a {@link Connection}: written once, while that is made. Connections that share a
 * queue pair have the same, so they have one together.
 *
 * @param name of its node; empty before it is known
 * @param qp number of its queue pair
 * @param group which of its node's tenants sends, by a number
 * @param queueId where messages go to: the append queue of its inbox
 * @param queueKey of that queue; 0 if there is none
 * @param maxMessage bytes of the longest message
 * @param regionKey of its region
 * @param regionLength bytes of its region
 */
public record PeerTerms(
        String name, int qp, int group, int queueId, int queueKey, int maxMessage, int regionKey, long regionLength) {
    /** Before it has said anything. */
    static final PeerTerms UNKNOWN = new PeerTerms("", 0, 0, 0, 0, 0, 0, 0);

    /** What a request or an answer says. */
    static PeerTerms of(ConnectionFlyweight d) {
        return new PeerTerms(
                d.node().intern(), // of which there are few
                d.senderQp(),
                d.group(),
                d.queueId(),
                d.queueKey(),
                d.maxMessage(),
                d.regionKey(),
                d.regionLength());
    }
}
