package io.verbena.rate.agent;

/** The connections of a node, as {@link PeerRates} looks at them: who is connected, and what is sent to whom. */
@FunctionalInterface
public interface ConnectedPeers {
    /** Takes what a connection has sent. */
    @FunctionalInterface
    interface Flow {
        /**
         * A connection.
         *
         * @param peerNic to which it leads
         * @param group of the NIC that sends by it
         * @param isDelivered whether the peer hands them to a handler; it has no part in one-sided operations
         * @param messages sent so far
         */
        void take(long peerNic, int group, boolean isDelivered, long messages);
    }

    /** Tells of all connections that there are now. */
    void flows(Flow flow);
}
