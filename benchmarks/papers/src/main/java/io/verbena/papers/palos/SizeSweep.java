package io.verbena.papers.palos;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.wire.Opcode;
import io.verbena.papers.figures.PaperFigure.Size;

/** Sixteen flows of small messages and one of large ones in one group (II-B, V-A). */
final class SizeSweep {
    /** Flows of small messages. */
    static final int FLOWS = 16;

    /**
     * What both kinds got.
     *
     * @param small share of the link, all small flows together
     * @param large share of the link, the large flow
     * @param largePayload the large flow's share of all payload
     * @param packets for as much payload as a link carries in a second
     */
    record Shares(double small, double large, double largePayload, double packets) {}

    private final long seed;
    private final Size size;
    private final Frames frames;
    private final Disciplines disciplines;

    SizeSweep(long seed, Size size, Frames frames, Disciplines disciplines) {
        this.seed = seed;
        this.size = size;
        this.frames = frames;
        this.disciplines = disciplines;
    }

    /** Both together. */
    Shares together(Discipline discipline, int smallBytes) {
        SharesRun run = run(disciplines.settings(discipline, frames, FLOWS + 1));
        PalosWorld.Tenant tenant = run.tenant("all", 1);
        SharesRun.Outcome outcome = run.flows(FLOWS, tenant, 1, smallBytes)
                .flows(1, tenant, 1, PalosWorld.LARGE)
                .run();
        return new Shares(
                SharesRun.sum(outcome.wire(), 0, FLOWS),
                outcome.wire()[FLOWS],
                outcome.ofPayload(FLOWS),
                outcome.packetsByPayload());
    }

    /** Share of the link that small flows get alone: their peak. No discipline leaves the link idle then. */
    double smallAlone(int smallBytes) {
        SharesRun run = run(Disciplines.AS_NAMED.settings(Discipline.PACKET_ROUND_ROBIN));
        double[] shares = run.flows(FLOWS, run.tenant("all", 1), 1, smallBytes).shares();
        return SharesRun.sum(shares, 0, FLOWS);
    }

    /** Share of the link that a large flow gets alone: its peak. */
    double largeAlone() {
        SharesRun run = run(Disciplines.AS_NAMED.settings(Discipline.PACKET_ROUND_ROBIN));
        return run.flows(1, run.tenant("all", 1), 1, PalosWorld.LARGE).shares()[0];
    }

    private SharesRun run(ArbiterSettings settings) {
        return new SharesRun(seed, size, settings, frames);
    }

    /** Bytes on the wire of a packet in the middle of a large message. */
    static double largePacket(Frames frames) {
        return frames.mtu() + Opcode.WRITE_MIDDLE.headerLength() + PalosWorld.FRAMING;
    }

    /** Bytes on the wire of a small message, a packet of it on average. */
    static double smallPacket(Frames frames, int bytes) {
        int packets = (bytes + frames.mtu() - 1) / frames.mtu();
        double wire = bytes
                + Opcode.WRITE_ONLY.headerLength()
                + (packets - 1.0) * Opcode.WRITE_MIDDLE.headerLength()
                + packets * (double) PalosWorld.FRAMING;
        return wire / packets;
    }

    /** The large flow's share if each flow sends a packet in turn. */
    static double packetRoundRobin(Frames frames, int smallBytes) {
        double large = largePacket(frames);
        return large / (large + FLOWS * smallPacket(frames, smallBytes));
    }
}
