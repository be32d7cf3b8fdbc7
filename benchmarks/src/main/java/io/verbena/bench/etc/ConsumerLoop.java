package io.verbena.bench.etc;

import io.verbena.bench.BenchException;
import io.verbena.bench.fabric.FabricNode;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.receive.MessageSink;
import io.verbena.bench.receive.ReceiveScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Takes and checks messages, and stalls by a plan, until the senders are through and all has come. For one thread. */
final class ConsumerLoop {
    private static final int BATCH = 64;
    private static final int WARM_UP_PART = 20; // of the run: no latencies from it
    private static final int YIELDS = 20;
    private static final long REST_NANOS = 20_000;
    private static final long LONGEST_LATENCY = 600_000_000_000L;
    private static final long PATIENCE_NANOS = 30_000_000_000L; // after the end of the schedule
    private static final long LOST_NANOS = 3_000_000_000L; // without a message, when the senders have no more

    private final ReceiveScheme receiver;
    private final FabricNode node;
    private final Rendezvous[] processes;
    private final StallPlan plan;
    private final ResidentCurve curve;
    private final MessageCheck check;
    private final MessageSink sink = this::onMessage;
    private final Histogram calm = new Histogram(LONGEST_LATENCY, 3);
    private final Histogram stalled = new Histogram(LONGEST_LATENCY, 3);
    private final List<long[]> told = new ArrayList<>();
    private long sent;
    private long unsent;
    private long notReady;
    private final long warm;
    private long lastCame;

    ConsumerLoop(
            EtcSetting setting,
            EtcScheme.Made made,
            ReceiveScheme receiver,
            FabricNode node,
            Rendezvous[] processes,
            StallPlan plan,
            ResidentCurve curve) {
        this.receiver = receiver;
        this.node = node;
        this.processes = processes;
        this.plan = plan;
        this.curve = curve;
        int expected = (int) (setting.rate() * setting.seconds() / EtcSetting.SENDERS * 1.1);
        check = new MessageCheck(EtcSetting.SENDERS, made.lanes(), made.laneOf(), expected);
        lastCame = plan.start();
        warm = plan.start() + plan.length() / WARM_UP_PART;
    }

    /** Runs to the end. */
    void run() {
        int stalls = 0;
        int idle = 0;
        long end = plan.start() + plan.length();
        @Nullable String[] lines = new String[processes.length];
        while (true) {
            long now = System.nanoTime();
            if (stalls < plan.count() && now - plan.begin(stalls) >= 0) {
                stall(plan.begin(stalls) + plan.stall());
                stalls++;
            }
            receiver.maintain(now);
            if (receiver.poll(sink, BATCH) > 0) {
                idle = 0;
                continue;
            }
            node.drive();
            if (now - end >= 0 && isOver(lines, now, end)) {
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
        long left = until - System.nanoTime();
        try {
            if (left > 0) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
        curve.sample(); // what waits is at its most
    }

    private boolean isOver(@Nullable String[] lines, long now, long end) {
        boolean all = true;
        for (int i = 0; i < lines.length; i++) {
            if (lines[i] == null) {
                String line = processes[i].heard();
                lines[i] = line;
                if (line != null) {
                    note(line);
                } else if (processes[i].isOver()) {
                    throw new BenchException("sender process " + i + " is gone");
                }
            }
            all &= lines[i] != null;
        }
        if (!all && now - end > PATIENCE_NANOS) {
            throw new BenchException("the senders are not through " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                    + " s after the end of their schedule");
        }
        return all && (check.received() >= sent || now - Math.max(lastCame, end) > LOST_NANOS);
    }

    private void note(String line) {
        long[] numbers = Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray();
        told.add(numbers);
        for (int i = 0; i < EtcSetting.SENDERS_EACH; i++) {
            sent += numbers[1 + i];
        }
        unsent += numbers[1 + EtcSetting.SENDERS_EACH];
        notReady += numbers[2 + EtcSetting.SENDERS_EACH];
    }

    private void onMessage(DirectBuffer buffer, int offset, int length, long tag) {
        lastCame = System.nanoTime();
        if (check.accept(buffer, offset, length, MessageSink.sender(tag))) {
            long scheduled = EtcMessageFlyweight.scheduled(buffer, offset);
            if (scheduled - warm < 0) {
                return;
            }
            long nanos = Math.min(Math.max(0, lastCame - scheduled), LONGEST_LATENCY);
            (plan.isDisturbed(scheduled) ? stalled : calm).recordValue(nanos);
        }
    }

    /** What came of it; after {@link #run}. */
    SchemeReport report(EtcSetting setting) {
        long lost = 0;
        for (long[] numbers : told) {
            for (int i = 0; i < EtcSetting.SENDERS_EACH; i++) {
                lost += check.missing((int) numbers[0] + i, numbers[1 + i]);
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
                latency(calm),
                latency(stalled),
                notReady,
                receiver.footprint().peakBytes(),
                ResidentCurve.stalls(samples, plan),
                samples);
    }

    private static SchemeReport.Latency latency(Histogram histogram) {
        return new SchemeReport.Latency(
                histogram.getTotalCount(),
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(99),
                histogram.getValueAtPercentile(99.9),
                histogram.getMaxValue());
    }
}
