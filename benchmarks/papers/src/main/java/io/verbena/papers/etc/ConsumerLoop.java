package io.verbena.papers.etc;

import io.verbena.bench.Latency;
import io.verbena.papers.receive.MessageSink;
import io.verbena.papers.receive.ReceiveScheme;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.FabricNode;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;

/** Takes and checks messages, and stalls by a plan, until the senders are through and all has come. For one thread. */
final class ConsumerLoop {
    private static final int BATCH = 64;
    private static final int WARM_UP_PART = 20; // of the run: no latencies from it
    private static final int YIELDS = 20;
    private static final long REST_NANOS = 20_000;
    private static final long MAX_LATENCY = 600_000_000_000L;
    private static final long PATIENCE_NANOS = 30_000_000_000L; // after the end of the schedule
    private static final long LOST_NANOS = 3_000_000_000L; // without a message, when the senders have no more

    private final ReceiveScheme receiver;
    private final FabricNode node;
    private final List<SenderGroup> groups;
    private final Killer killer;
    private final Acknowledged acknowledged;
    private final StallPlan plan;
    private final ResidentCurve curve;
    private final MessageCheck check;
    private final MessageSink sink = this::onMessage;
    private final Histogram calm = new Histogram(MAX_LATENCY, 3);
    private final Histogram stalled = new Histogram(MAX_LATENCY, 3);
    private final long warm;
    private long lastCame;

    ConsumerLoop(
            MessageCheck check,
            ReceiveScheme receiver,
            FabricNode node,
            List<SenderGroup> groups,
            Killer killer,
            Acknowledged acknowledged,
            StallPlan plan,
            ResidentCurve curve) {
        this.check = check;
        this.receiver = receiver;
        this.node = node;
        this.groups = groups;
        this.killer = killer;
        this.acknowledged = acknowledged;
        this.plan = plan;
        this.curve = curve;
        lastCame = plan.start();
        warm = plan.start() + plan.length() / WARM_UP_PART;
    }

    /** Runs to the end. */
    void run() {
        int stalls = 0;
        int idle = 0;
        long end = plan.start() + plan.length();
        while (true) {
            long now = System.nanoTime();
            if (stalls < plan.count() && now - plan.begin(stalls) >= 0) {
                stall(plan.begin(stalls) + plan.stall());
                stalls++;
            }
            killer.turn(now);
            receiver.maintain(now);
            if (receiver.poll(sink, BATCH) > 0) {
                idle = 0;
                continue;
            }
            node.drive();
            if (now - end >= 0 && isOver(now, end)) {
                break;
            }
            if (++idle < YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    private void stall(long until) {
        Waits.sleep((until - System.nanoTime()) / 1e9);
        curve.sample(); // what waits is at its most
    }

    private boolean isOver(long now, long end) {
        boolean all = killer.isIdle();
        boolean came = all;
        for (SenderGroup group : groups) {
            long[] account = group.account();
            all &= account != null;
            for (int i = 0; account != null && i < EtcSetting.SENDERS_EACH; i++) {
                came &= check.whole(group.first() + i) >= account[i];
            }
        }
        if (!all && now - end > PATIENCE_NANOS) {
            throw new RunException("the senders are not through " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                    + " s after the end of their schedule");
        }
        return all && (came || now - Math.max(lastCame, end) > LOST_NANOS);
    }

    private void onMessage(DirectBuffer buffer, int offset, int length, long tag) {
        lastCame = System.nanoTime();
        if (check.accept(buffer, offset, length, MessageSink.sender(tag))) {
            long scheduled = EtcMessageFlyweight.scheduled(buffer, offset);
            killer.onMessage(scheduled, lastCame);
            if (scheduled - warm < 0) {
                return;
            }
            long nanos = Math.min(Math.max(0, lastCame - scheduled), MAX_LATENCY);
            (plan.isDisturbed(scheduled) || killer.isDisturbed(scheduled) ? stalled : calm).recordValue(nanos);
        }
    }

    /** What came of it; after {@link #run}. */
    SchemeReport report(EtcSetting setting) {
        long sent = 0;
        long lost = 0;
        long unsent = 0;
        long notReady = 0;
        for (SenderGroup group : groups) {
            long[] account = Objects.requireNonNull(group.account(), "the loop runs until all are through");
            for (int i = 0; i < EtcSetting.SENDERS_EACH; i++) {
                sent += account[i];
                lost += check.missing(group.first() + i, account[i]);
            }
            unsent += account[EtcSetting.SENDERS_EACH];
            notReady += account[EtcSetting.SENDERS_EACH + 1];
        }
        for (SenderGroup group : killer.killed()) {
            for (int sender = group.first(); sender < group.first() + EtcSetting.SENDERS_EACH; sender++) {
                sent += acknowledged.get(sender);
                lost += check.missing(sender, acknowledged.get(sender));
            }
        }
        List<ResidentCurve.Sample> samples = curve.samples();
        double seconds = Math.max(lastCame - plan.start(), plan.length()) / 1e9;
        return new SchemeReport(
                setting.scheme().optionName(),
                receiver.label(),
                sent,
                unsent,
                check.received(),
                lost,
                check.duplicated(),
                check.torn(),
                check.reordered(),
                setting.rate(),
                check.received() / seconds,
                Latency.of(calm),
                Latency.of(stalled),
                notReady,
                receiver.footprint().peakBytes(),
                killer.report(),
                ResidentCurve.stalls(samples, plan),
                samples);
    }
}
