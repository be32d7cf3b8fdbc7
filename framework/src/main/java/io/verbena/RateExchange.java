package io.verbena;

import io.verbena.rate.ExchangeCount;
import io.verbena.rate.ExchangeCounts;
import io.verbena.rate.agent.PeerRates;

/**
 * What a node has said and heard to agree with others on rates ({@link RateOptions#twoSided}). Immutable.
 *
 * @param activePeers nodes that bound what this one sends, or are bound by it, now
 * @param requestSteps steps of what this node sends
 * @param deliverySteps steps of what it delivers, each with a new price
 * @param lateSteps those of either that were made without an answer of some peer, whose last was used again
 * @param sent datagrams given to links
 * @param unsent datagrams for which there was no link
 * @param received datagrams that were believed
 * @param ignored datagrams that came twice or late, of another version, of nodes that are not connected, or that said
 *     what cannot be
 * @param leasesEnded grants of peers that ended because no answer came
 * @param peersLost nodes that sent here and fell silent
 */
public record RateExchange(
        int activePeers,
        long requestSteps,
        long deliverySteps,
        long lateSteps,
        long sent,
        long unsent,
        long received,
        Ignored ignored,
        long leasesEnded,
        long peersLost) {
    /**
     * Datagrams that were not believed.
     *
     * @param duplicate came again
     * @param stale came after a later one
     * @param malformed of another version, or cut off
     * @param implausible said what cannot be
     * @param notConnected of nodes to which no connection leads
     */
    public record Ignored(long duplicate, long stale, long malformed, long implausible, long notConnected) {}

    static RateExchange of(PeerRates peers) {
        ExchangeCounts c = peers.counts();
        return new RateExchange(
                peers.activePeers(),
                c.get(ExchangeCount.REQUEST_STEPS),
                c.get(ExchangeCount.COMPLETION_STEPS),
                c.get(ExchangeCount.STEPS_WITHOUT_ANSWER),
                c.get(ExchangeCount.SENT),
                c.get(ExchangeCount.NOT_SENT),
                c.get(ExchangeCount.RECEIVED),
                new Ignored(
                        c.get(ExchangeCount.DUPLICATE),
                        c.get(ExchangeCount.STALE),
                        c.get(ExchangeCount.MALFORMED),
                        c.get(ExchangeCount.IMPLAUSIBLE),
                        c.get(ExchangeCount.NOT_CONNECTED)),
                c.get(ExchangeCount.LEASES_ENDED),
                c.get(ExchangeCount.PEERS_LOST));
    }
}
