package io.verbena.papers.rima;

import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimNode;
import io.verbena.papers.receive.MessageSink;
import io.verbena.papers.receive.ReceiveScheme;
import io.verbena.papers.receive.Scheme;
import io.verbena.papers.receive.SchemeFootprint;
import io.verbena.papers.receive.SendScheme;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages of the workload through a scheme, one way, at so low a load that they do not wait for each other: from when
 * a message is due until the receiver hands it out.
 */
final class SchemeRun {
    /** One way through the network: "around 50 us" (5.2.1). */
    static final long NETWORK_NANOS = 50_000;

    /** Of all clients together, messages a second. */
    private static final double RATE = 40_000;

    /** How often both ends look, while messages are under way. */
    private static final long TICK_NANOS = 1_000;

    private static final int SERVER_QPS = 512;
    private static final long LIMIT_NANOS = 60_000_000_000L;

    /** What came out. Immutable. */
    static final class Result {
        /** Queue pairs that a sender needs. */
        final int queuePairs;
        /** What the receiver held when that was most. */
        final SchemeFootprint peak;
        /** Times that a sender was told to come again. */
        final long notReady;
        /** Latency of one message of the largest size. */
        final long largest;

        private final long[] all; // latencies in nanoseconds, ascending
        private final long[] large; // of the messages above the cut

        Result(
                LongArrayList all,
                LongArrayList large,
                long largest,
                int queuePairs,
                SchemeFootprint peak,
                long notReady) {
            this.all = sorted(all);
            this.large = sorted(large);
            this.largest = largest;
            this.queuePairs = queuePairs;
            this.peak = peak;
            this.notReady = notReady;
        }

        private static long[] sorted(LongArrayList values) {
            long[] sorted = values.toLongArray();
            Arrays.sort(sorted);
            return sorted;
        }

        /** Nanoseconds that this share of the messages does not exceed. */
        long percentile(double percent) {
            return at(all, percent);
        }

        /** The same of the messages above the cut. */
        long largePercentile(double percent) {
            return at(large, percent);
        }

        private static long at(long[] sorted, double percent) {
            int index = (int) Math.ceil(percent / 100 * sorted.length) - 1;
            return sorted[Math.max(0, index)];
        }
    }

    private final IncastWorld world;
    private final ReceiveScheme receiver;
    private final Sender[] senders;
    private final int cut;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[(int) RimaModel.MAX]);
    private final LongArrayList all = new LongArrayList();
    private final LongArrayList large = new LongArrayList();
    private SchemeFootprint peak;
    private long largest;

    private static final class Sender {
        final SendScheme scheme;
        final EtcWorkload workload;
        final long[] dueNanos;
        int count; // messages to send
        int sent;
        int drawn;

        Sender(SendScheme scheme, EtcWorkload workload, int count) {
            this.scheme = scheme;
            this.workload = workload;
            this.count = count;
            dueNanos = new long[count + 1];
            dueNanos[0] = workload.gapNanos();
            drawn = workload.messageBytes();
        }
    }

    private SchemeRun(Scheme scheme, long seed, int each, int cut) {
        this.cut = cut;
        world = new IncastWorld(
                seed,
                IncastWorld.CLIENTS,
                LinkProfile.infiniband56().delay(NETWORK_NANOS),
                new SimNode.Options().queuePairs(SERVER_QPS).allocationNanos(IncastWorld.ALLOCATION_NANOS),
                Long.BYTES);
        receiver = scheme.receiver(world.server.nic());
        peak = receiver.footprint();
        senders = new Sender[IncastWorld.CLIENTS];
        for (int i = 0; i < senders.length; i++) {
            SendScheme sender = scheme.sender(world.clients().get(i).node.nic());
            receiver.accept(sender.connect(receiver.invite()));
            EtcWorkload workload =
                    new EtcWorkload(EtcVariant.ETC_RIMA, seed * senders.length + i).load(RATE / senders.length);
            senders[i] = new Sender(sender, workload, each);
        }
    }

    /**
     * Runs.
     *
     * @param scheme of both ends
     * @param each messages of each client
     * @param cut above which a message counts as large
     */
    static Result run(Scheme scheme, long seed, int each, int cut) {
        SchemeRun run = new SchemeRun(scheme, seed, each, cut);
        run.world.simulation.add("ends", run.new Ends());
        int messages = each * run.senders.length;
        run.world.simulation.runUntil(() -> run.all.size() == messages, LIMIT_NANOS);
        long notReady = run.world.notReady();
        run.sendLargest();
        return new Result(run.all, run.large, run.largest, run.senders[0].scheme.queuePairs(), run.peak, notReady);
    }

    private void received(DirectBuffer buffer, int offset, int length, long tag) {
        Sender sender = senders[MessageSink.sender(tag)];
        long latency = world.simulation.nowNanos() - sender.dueNanos[MessageSink.number(tag)];
        if (length == RimaModel.MAX) {
            largest = latency;
            return;
        }
        all.addLong(latency);
        if (length > cut) {
            large.addLong(latency);
        }
    }

    /** When all is done, one message of the largest size, alone. */
    private void sendLargest() {
        Sender sender = senders[0];
        sender.drawn = (int) RimaModel.MAX;
        sender.dueNanos[sender.count] = world.simulation.nowNanos();
        sender.count++;
        world.simulation.runUntil(() -> largest > 0, LIMIT_NANOS);
    }

    /** Both ends of all clients: offers what is due, and takes what has come. */
    private final class Ends implements Actor {
        @Override
        public int step() {
            long now = world.simulation.nowNanos();
            int work = 0;
            for (Sender sender : senders) {
                while (sender.sent < sender.count
                        && sender.dueNanos[sender.sent] <= now
                        && sender.scheme.offer(message, 0, sender.drawn, sender.sent)) {
                    long due = sender.dueNanos[sender.sent++];
                    sender.drawn = sender.workload.messageBytes();
                    if (sender.sent < sender.count) {
                        sender.dueNanos[sender.sent] = due + sender.workload.gapNanos();
                    }
                    work++;
                }
                work += sender.scheme.poll();
            }
            work += receiver.maintain(now);
            work += receiver.poll(SchemeRun.this::received, Integer.MAX_VALUE);
            SchemeFootprint present = receiver.footprint();
            if (present.heldBytes() > peak.heldBytes()) {
                peak = present;
            }
            return work;
        }

        @Override
        public long nextDeadlineNanos() {
            long now = world.simulation.nowNanos();
            long next = NO_DEADLINE;
            for (Sender sender : senders) {
                next = Math.min(next, sender.scheme.outstanding() > 0 ? now + TICK_NANOS : NO_DEADLINE);
                next = Math.min(next, sender.sent < sender.count ? sender.dueNanos[sender.sent] : NO_DEADLINE);
            }
            return Math.max(next, now + 1);
        }
    }
}
