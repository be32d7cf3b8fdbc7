package io.verbena.papers.receive;

import io.verbena.nic.Nic;

/**
 * Small messages through a shared receive queue; for each large one memory of its exact length is allocated when it is
 * asked for (RIMA 5.2.1, the second option; Table 6 row 3). Between small and large messages there is no order.
 *
 * <pre>
 *   DEMAND_PAGING          announce ─▶                allocate, post
 *                          SEND ──▶ not ready ... again ──▶ there
 *   ALLOCATE_AND_RETURN    ask ──▶   allocate   ──▶ key ──▶ WRITE ──▶ there
 * </pre>
 */
public final class OnDemandLarge extends Scheme {
    /** How the memory comes to the message. */
    public enum Form {
        /**
         * As where the NIC itself faults memory in: the message is sent at once, beside a short announcement, and finds
         * the receiver not ready until the memory is there.
         */
        DEMAND_PAGING,
        /** A rendezvous: the sender asks, is told where, and writes; three ways through the network instead of one. */
        ALLOCATE_AND_RETURN
    }

    private final Form form;
    private final int cut;
    private final int smallBuffers;
    private final int largest;
    private final int places;
    private final long allocationNanos;

    /**
     * With the defaults of queue pairs.
     *
     * @param form of the exchange
     * @param cut largest small message in bytes, at least {@value ControlMessage#LENGTH}
     * @param smallBuffers posted for small messages
     * @param largest message in bytes
     * @param places large messages under way: of each sender, and with memory at the receiver
     * @param allocationNanos that pass until memory is there; 0: what allocating it takes
     */
    public OnDemandLarge(Form form, int cut, int smallBuffers, int largest, int places, long allocationNanos) {
        LargeMessageLimits.check(cut, largest, places);
        if (allocationNanos < 0) {
            throw new IllegalArgumentException("allocation nanos " + allocationNanos + " < minimum 0");
        }
        this.form = form;
        this.cut = cut;
        this.smallBuffers = smallBuffers;
        this.largest = largest;
        this.places = places;
        this.allocationNanos = allocationNanos;
    }

    @Override
    public String label() {
        return form == Form.DEMAND_PAGING ? "large paged in on demand" : "large allocated on demand";
    }

    @Override
    public ReceiveScheme receiver(Nic nic) {
        return new OnDemandReceiver(
                label(), nic, settings, cut, smallBuffers, places, allocationNanos, form == Form.DEMAND_PAGING);
    }

    @Override
    public SendScheme sender(Nic nic) {
        return form == Form.DEMAND_PAGING
                ? new AnnouncingSender(nic, settings, cut, largest)
                : new AskingSender(nic, settings, cut, largest, places);
    }
}
