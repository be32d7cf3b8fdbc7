package io.verbena.bench.rates;

import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.RateOptions;
import io.verbena.RateStatistics;
import io.verbena.SendResult;
import io.verbena.TenantAllocation;
import io.verbena.TenantOptions;
import io.verbena.bench.trial.Sink;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A node whose tenants have a channel each to a {@link Sink}, and one on which messages come back. For one thread. */
final class TenantsNode implements AutoCloseable {
    private static final int LENGTH = 32;
    private static final int BATCH = 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);

    private final Node node;
    private final Inbox answers;
    private final Channel echo;
    private final List<Channel> channels = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private boolean answered;

    /**
     * Launches it.
     *
     * @param weights of the tenants' utilities; alpha is 1
     * @param rates null: none
     */
    TenantsNode(Sink sink, double[] weights, @Nullable RateOptions rates) {
        NodeContext context = new NodeContext().sharedMemory(sink.isShared());
        if (rates != null) {
            context.rates(rates);
        }
        for (int i = 0; i < weights.length; i++) {
            names.add("tenant-" + i);
            context.tenant(new TenantOptions().name(names.get(i)).utility(weights[i], 1));
        }
        node = Node.launch(context);
        answers = node.openInbox("answers");
        echo = node.connect(sink.answers(), answers, TIMEOUT);
        for (String name : names) {
            channels.add(node.tenant(name).connect(sink.takes(), null, new ChannelOptions(), TIMEOUT));
        }
    }

    /**
     * Those of the tenants that are to send do, in turn and as much as they can.
     *
     * @return messages a second that each has sent, as its node counts
     */
    double[] flood(double seconds, IntPredicate sends) {
        long[] before = sent();
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        long now = begin;
        while (now - end < 0) {
            offer(sends);
            now = System.nanoTime();
        }
        long[] after = sent();
        double[] rates = new double[after.length];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = (after[i] - before[i]) * 1e9 / (now - begin);
        }
        return rates;
    }

    /** Each that is to send sends what it may, up to a few messages. */
    void offer(IntPredicate sends) {
        for (int i = 0; i < channels.size(); i++) {
            if (sends.test(i)) {
                Channel channel = channels.get(i);
                SendResult result = SendResult.SENT;
                for (int k = 0; k < BATCH && result == SendResult.SENT; k++) {
                    result = channel.offer(message, 0, LENGTH);
                }
                if (result != SendResult.SENT && result != SendResult.BACK_PRESSURED) {
                    throw new RunException(channel + " cannot send: " + result + ", " + channel.closeReason());
                }
            }
        }
    }

    /** Whether nothing that a tenant has offered waits here. */
    boolean isIdle(int tenant) {
        return channels.get(tenant).outstanding() == 0;
    }

    private long[] sent() {
        return names.stream()
                .mapToLong(name -> node.tenant(name).statistics().messages())
                .toArray();
    }

    /** Messages there and back, one at a time. */
    Histogram roundTrips(double seconds) {
        Histogram times = new Histogram(LONGEST, 3);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long now = System.nanoTime();
        while (now - end < 0) {
            long begin = now;
            while (echo.offer(message, 0, LENGTH) == SendResult.BACK_PRESSURED) {
                Thread.onSpinWait();
            }
            answered = false;
            while (!answered) {
                answers.poll(m -> answered = true, 1);
                now = System.nanoTime();
                if (now - begin > LONGEST) {
                    throw new RunException("a message has not come back within " + TIMEOUT);
                }
            }
            times.recordValue(now - begin);
        }
        return times;
    }

    /** What a tenant may send; 0 before the first epoch, or without rates. */
    double allocated(int tenant) {
        TenantAllocation allocation = node.tenant(names.get(tenant)).allocation();
        return allocation == null ? 0 : allocation.requests();
    }

    /** What all tenants may send, the node's own included. */
    double allocated() {
        double sum = 0;
        for (int i = 0; i < names.size(); i++) {
            sum += allocated(i);
        }
        TenantAllocation own = node.tenant("default").allocation();
        return sum + (own == null ? 0 : own.requests());
    }

    /** What sharing has cost; with rates. */
    RateStatistics cost() {
        return Objects.requireNonNull(node.tenants().rateStatistics(), "a node without rates");
    }

    @Override
    public void close() {
        node.close();
    }
}
