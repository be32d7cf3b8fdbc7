package io.verbena.bench.tenants;

import io.verbena.bench.Latency;
import java.util.ArrayList;
import java.util.List;
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
    private final ShareMeter meter;
    private final long[] charged;
    private final boolean[] hadWork;
    private final long[] messages;
    private final Histogram[] delays;
    private final Histogram pings = new Histogram(MAX_PING, DIGITS);

    /** Begins. */
    Sampling(List<TenantSender> senders) {
        this.senders = senders;
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
        for (int i = 0; i < messages.length; i++) {
            messages[i] += senders.get(i).tally().completed();
            Histogram now = senders.get(i).statistics().delays();
            now.subtract(delays[i]);
            delays[i] = now;
        }
    }

    /** What it came to, once nobody pings any more. */
    TenantsResult result() {
        double weights =
                senders.stream().mapToInt(each -> each.tenant().weight()).sum();
        List<TenantsResult.Figures> figures = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            MeasuredTenant tenant = senders.get(i).tenant();
            figures.add(new TenantsResult.Figures(
                    tenant.name(),
                    tenant.bytes(),
                    meter.share(i),
                    tenant.weight() / weights,
                    messages[i] / meter.seconds(),
                    meter.rate(i),
                    meter.backlogged(i),
                    List.of(delays[i].getValueAtPercentile(50), delays[i].getValueAtPercentile(99))));
        }
        return new TenantsResult(meter.seconds(), meter.contended(), figures, Latency.of(pings));
    }
}
