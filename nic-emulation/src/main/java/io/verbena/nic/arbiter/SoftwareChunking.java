package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;

/**
 * Packet round robin below software that cuts long messages into chunks and posts one when the one before it is acknowledged,
 * as Flor and Justitia do; a chunk is a bandwidth-delay product, 25 KB (Palos V-B). Messages up to a chunk are posted as they
 * come.
 *
 * <p>The last packet of a chunk asks for an answer, as the last of a message does. A chunk ends where the packet before the
 * last shows that one more as long fills it. On mapped memory a chunk is done when it is sent.
 */
public final class SoftwareChunking extends PacketRoundRobin {
    private final int chunk;

    /** Creates an empty schedule. */
    public SoftwareChunking(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        super(settings, engine, engines, clock);
        this.chunk = settings.softwareChunk();
    }

    @Override
    void joined(Flow flow) {
        flow.credit = chunk;
        flow.pace = 0;
    }

    @Override
    void grant(Flow flow) {
        super.grant(flow);
        flow.answered = flow.port != null && flow.credit <= flow.pace;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        if (operations > 0) {
            flow.credit = chunk; // another message
        } else if (flow.answered && bytes > 0) {
            flow.inTurn = true; // the chunk is under way
        }
        flow.credit -= bytes;
        if (bytes > 0) {
            flow.pace = bytes;
        }
        flow.answered = false;
    }

    @Override
    public void active(Flow flow) {
        if (!flow.inTurn) {
            super.active(flow);
        }
    }

    @Override
    public void blocked(Flow flow) {
        // Its chunk is under way as before.
    }

    @Override
    public boolean nextAlone(Flow flow) {
        return !flow.inTurn && super.nextAlone(flow);
    }

    @Override
    public boolean wantsAcknowledgements() {
        return true;
    }

    @Override
    public void acknowledged(Flow flow) {
        if (flow.inTurn) {
            flow.inTurn = false;
            flow.credit = chunk;
            super.active(flow);
        }
    }
}
