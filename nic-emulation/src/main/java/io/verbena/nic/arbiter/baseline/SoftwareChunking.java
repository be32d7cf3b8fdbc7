package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;

/**
 * Packet round robin below software that cuts long messages into chunks and posts one when the one before it is
 * acknowledged, as Flor and Justitia do; a chunk is a bandwidth-delay product, 25 KB (Palos V-B). Messages up to a
 * chunk are posted as they come.
 *
 * <p>The last packet of a chunk asks for an answer, as the last of a message does. A chunk ends where the packet before
 * the last shows that one more as long fills it. On mapped memory a chunk is done when it is sent. Answers to READs are
 * sent as they are asked for: it is for the reader's software to ask for less.
 */
public final class SoftwareChunking extends PacketRoundRobin {
    /** Bytes of a chunk: a bandwidth-delay product. */
    static final int CHUNK = 25_000;

    /** Creates an empty schedule. */
    public SoftwareChunking(ArbiterSettings settings, int engine) {
        super(settings, engine);
    }

    @Override
    void joined(Place place) {
        place.left = CHUNK;
        place.lastPacket = 0;
    }

    @Override
    void grant(Place place) {
        super.grant(place);
        place.flow.askForAnswer(isLast(place));
    }

    /** Whether the next packet fills the chunk. */
    private static boolean isLast(Place place) {
        return place.flow.output() != null && place.left <= place.lastPacket;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        Place place = Place.of(flow);
        if (operations > 0) {
            place.left = CHUNK; // another message
        } else if (isLast(place) && !flow.hasToAsk() && bytes > 0) {
            place.goesOn = true; // the chunk is under way
        }
        place.left -= bytes;
        if (bytes > 0) {
            place.lastPacket = bytes;
        }
        flow.askForAnswer(false);
    }

    @Override
    public void active(Flow flow) {
        if (!Place.of(flow).goesOn) {
            super.active(flow);
        }
    }

    @Override
    public void blocked(Flow flow) {
        // Its chunk is under way as before.
    }

    @Override
    public boolean nextAlone(Flow flow) {
        return !Place.of(flow).goesOn && super.nextAlone(flow);
    }

    /** All that a flow has sent was acknowledged, or is to be sent again, or never will be: its next chunk may go. */
    public void acknowledged(Flow flow) {
        Place place = Place.of(flow);
        if (place.goesOn) {
            place.goesOn = false;
            place.left = CHUNK;
            super.active(flow);
        }
    }
}
