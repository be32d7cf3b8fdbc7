package io.verbena.bench.tenants;

import io.verbena.bench.Latency;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * What the NIC says of tenants for a time, and the pings in it. For one thread, the histogram for the one that pings.
 */
final class Sampling {
    /** Longer pings count as this, in nanoseconds. */
    static final long MAX_PING = 20_000_000_000L;

    /** Of a histogram of pings. */
    static final int DIGITS = 3;

    private final List<TenantSender> senders;
    private final Supplier<long[]> taken;
    private final ShareMeter meter;
    private final long[] charged;
    private final boolean[] hadWork;
    private final long[] messages;
    private final long[] arrived;
    private final Histogram[] delays;
    private final Histogram pings = new Histogram(MAX_PING, DIGITS);

    /**
     * Begins.
     *
     * @param taken messages of each that the other side has taken so far
     */
    Sampling(List<TenantSender> senders, Supplier<long[]> taken) {
        this.senders = senders;
        this.taken = taken;
        int count = senders.size();
        meter = new ShareMeter(count);
        charged = new long[count];
        hadWork = new boolean[count];
        messages = new long[count];
        delays = new Histogram[count];
        for (int i = 0; i < count; i++) {
            messages[i] = -senders.get(i).tally().completed();
            delays[i] = senders.get(i).statistics().delays();
        }
        arrived = taken.get();
        read();
        meter.start(System.nanoTime(), charged);
    }

    /** Seconds from the beginning to the last look. */
    double seconds() {
        return meter.seconds();
    }

    /** Where round trips are counted. */
    Histogram pings() {
        return pings;
    }

    /** Looks at all tenants. */
    void look() {
        read();
        meter.sample(System.nanoTime(), charged, hadWork);
    }

    private void read() {
        for (int i = 0; i < charged.length; i++) {
            charged[i] = senders.get(i).statistics().charged();
            hadWork[i] = senders.get(i).hadWork();
        }
    }

    /** Ends. */
    void end() {
        long[] now = taken.get();
        for (int i = 0; i < arrived.length; i++) {
            arrived[i] = now[i] - arrived[i];
        }
        for (int i = 0; i < messages.length; i++) {
            messages[i] += senders.get(i).tally().completed();
            Histogram all = senders.get(i).statistics().delays();
            all.subtract(delays[i]);
            delays[i] = all;
        }
    }

    /** What it came to, once nobody pings any more. */
    TenantsResult result() {
        double weights =
                senders.stream().mapToInt(each -> each.tenant().weight()).sum();
        double[] charges = charges();
        double sum = Math.max(Double.MIN_NORMAL, Arrays.stream(charges).sum());
        List<TenantsResult.Figures> figures = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            MeasuredTenant tenant = senders.get(i).tenant();
            figures.add(new TenantsResult.Figures(
                    tenant.name(),
                    tenant.bytes(),
                    meter.share(i),
                    charges[i] / sum,
                    tenant.weight() / weights,
                    messages[i] / meter.seconds(),
                    meter.rate(i),
                    meter.backlogged(i),
                    List.of(delays[i].getValueAtPercentile(50), delays[i].getValueAtPercentile(99))));
        }
        return new TenantsResult(meter.seconds(), meter.contended(), figures, Latency.of(pings));
    }

    /** What each tenant's messages that have arrived are charged, by what one of its messages is. */
    private double[] charges() {
        double[] charges = new double[arrived.length];
        for (int i = 0; i < charges.length; i++) {
            TenantSender sender = senders.get(i);
            long completed = Math.max(1, sender.tally().completed());
            charges[i] = arrived[i] * (sender.statistics().charged() / (double) completed);
        }
        return charges;
    }
}
