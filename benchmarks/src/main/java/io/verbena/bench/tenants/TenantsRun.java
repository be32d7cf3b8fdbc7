package io.verbena.bench.tenants;

import io.verbena.bench.BenchException;
import io.verbena.bench.fabric.FabricKind;
import io.verbena.bench.path.Rendezvous;
import io.verbena.nic.arbiter.DelayHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Measures tenants beside each other. Who runs the NICs:
 *
 * <pre>
 *   fabric local         the NIC's own thread sends; one thread posts for all tenants and polls all sinks
 *     with a ping        one thread pings; one posts for all tenants, polls all sinks and answers; both run the NIC
 *   over links           the NIC's own thread sends; one posts for all tenants; one, or another process, takes what comes
 *     with a ping        one thread runs the NIC, posts for all tenants and pings; one, or another process, takes what comes
 * </pre>
 *
 * The thread that calls samples what the NIC says of each group, once a millisecond, or beside a ping 20 times a second, and
 * sleeps in between.
 */
final class TenantsRun {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Beside a ping: who samples takes the processor from one of the two threads that are measured. */
    private static final long RARE_SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long SET_UP_SECONDS = 60;
    private static final long LONGEST_PING = TimeUnit.SECONDS.toNanos(20);
    private static final int DIGITS = 3;

    private final TenantsSetting setting;
    private final List<Worker> workers = new ArrayList<>();
    private final Histogram pings = new Histogram(LONGEST_PING, DIGITS);
    private volatile boolean counting;

    private TenantsRun(TenantsSetting setting) {
        this.setting = setting;
    }

    // ---- who does what
    // -----------------------------------------------------------------------------------------------

    /** Measures with both sides in this process. */
    static TenantsResult run(TenantsSetting setting) {
        TenantsRun run = new TenantsRun(setting);
        return setting.fabric() == FabricKind.LOCAL ? run.local() : run.linked();
    }

    /** Measures with the other side in another process. */
    static TenantsResult run(TenantsSetting setting, Rendezvous other) {
        TenantsRun run = new TenantsRun(setting);
        CompletableFuture<NearSide> near = new CompletableFuture<>();
        try {
            run.start("near side", () -> run.sending(completing(near, () -> NearSide.open(setting, other))));
            return run.measure(run.joined(near).senders());
        } finally {
            run.stop();
        }
    }

    private TenantsResult local() {
        Rendezvous[] pair = Rendezvous.pair();
        CompletableFuture<FarSide> opening = CompletableFuture.supplyAsync(
                () -> FarSide.open(setting, pair[1]), task -> new Thread(task, "far side").start());
        try (NearSide near = NearSide.open(setting, pair[0]);
                FarSide far = joined(opening)) {
            bringBack(near, far);
            try {
                start("tenants", () -> new Worker.Job(() -> near.turn() + far.turn(), () -> {}));
                if (setting.ping() != Ping.NONE) {
                    start("ping", () -> new Worker.Job(() -> ping(near.pinger(), () -> {}), () -> {}));
                }
                return measure(near.senders());
            } finally {
                stop();
            }
        }
    }

    private TenantsResult linked() {
        Rendezvous[] pair = Rendezvous.pair();
        CompletableFuture<FarSide> opening = new CompletableFuture<>();
        CompletableFuture<NearSide> near = new CompletableFuture<>();
        try {
            start("far side", () -> {
                FarSide far = completing(opening, () -> FarSide.open(setting, pair[1]));
                return new Worker.Job(far::turn, far::close);
            });
            start("near side", () -> {
                NearSide made = NearSide.open(setting, pair[0]);
                bringBack(made, joined(opening));
                near.complete(made);
                return sending(made);
            });
            return measure(joined(near).senders());
        } finally {
            stop();
        }
    }

    private Worker.Job sending(NearSide near) {
        if (setting.ping() == Ping.NONE) {
            return new Worker.Job(near::turn, near::close);
        }
        return new Worker.Job(() -> near.turn() + ping(near.pinger(), near::turn), near::close);
    }

    private int ping(Pinger pinger, Runnable idle) {
        boolean counted = counting;
        long nanos = pinger.roundTrip(idle);
        if (counted) {
            pings.recordValue(Math.min(nanos, LONGEST_PING));
        }
        return 1;
    }

    private static void bringBack(NearSide near, FarSide far) {
        for (int i = 0; i < near.senders().size(); i++) {
            TenantSender sender = near.senders().get(i);
            TenantSink sink = far.sink(i);
            if (sender.tenant().conduct() == Conduct.INVALID) {
                sender.onReset((index, number, attributes) -> sink.reconnect(index, near.nicId(), number, attributes));
            }
        }
    }

    private void start(String name, Supplier<Worker.Job> setUp) {
        workers.add(new Worker(name, setUp));
    }

    /** Those that post first: who takes what they sent goes on meanwhile. */
    private void stop() {
        for (int i = workers.size() - 1; i >= 0; i--) {
            workers.get(i).close();
        }
    }

    private static <T> T completing(CompletableFuture<T> future, Supplier<T> supplier) {
        try {
            T made = supplier.get();
            future.complete(made);
            return made;
        } catch (RuntimeException | Error e) {
            future.completeExceptionally(e);
            throw e;
        }
    }

    private <T> T joined(CompletableFuture<T> future) {
        try {
            return future.get(SET_UP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        } catch (TimeoutException e) {
            workers.forEach(Worker::check);
            throw new BenchException("the tenants are not connected within " + SET_UP_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new BenchException("a side did not come up: " + e.getCause(), e);
        }
    }

    // ---- sampling
    // ----------------------------------------------------------------------------------------------------

    private TenantsResult measure(List<TenantSender> senders) {
        int count = senders.size();
        ShareMeter meter = new ShareMeter(count);
        long[] charged = new long[count];
        boolean[] hadWork = new boolean[count];
        long[] messages = new long[count];
        long[][] delays = new long[count][DelayHistogram.CELLS];
        pause(TimeUnit.MILLISECONDS.toNanos((long) (setting.warmup() * 1e3)));
        for (int i = 0; i < count; i++) {
            messages[i] = -senders.get(i).completed();
            senders.get(i).statistics().delays(delays[i]);
        }
        long between = setting.ping() == Ping.NONE ? SAMPLE_NANOS : RARE_SAMPLE_NANOS;
        counting = true;
        read(senders, charged, hadWork);
        long begin = System.nanoTime();
        meter.start(begin, charged);
        for (long now = begin; now - begin < setting.seconds() * 1e9; now = System.nanoTime()) {
            pause(between);
            read(senders, charged, hadWork);
            meter.sample(System.nanoTime(), charged, hadWork);
        }
        counting = false;
        for (int i = 0; i < count; i++) {
            messages[i] += senders.get(i).completed();
        }
        stop(); // the histogram is the pinger's until then
        workers.forEach(Worker::check);
        return result(senders, meter, messages, delays);
    }

    /** Sleeps; a worker that has failed ends the measurement. */
    private void pause(long nanos) {
        long begin = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begin)) {
            LockSupport.parkNanos(left);
            for (int i = 0; i < workers.size(); i++) {
                workers.get(i).check();
            }
        }
    }

    private static void read(List<TenantSender> senders, long[] charged, boolean[] hadWork) {
        for (int i = 0; i < charged.length; i++) {
            charged[i] = senders.get(i).statistics().charged();
            hadWork[i] = senders.get(i).hadWork();
        }
    }

    private TenantsResult result(List<TenantSender> senders, ShareMeter meter, long[] messages, long[][] delays) {
        double weights = setting.tenants().stream().mapToInt(Tenant::weight).sum();
        List<TenantsResult.Figures> figures = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            Tenant tenant = setting.tenants().get(i);
            long[] now = new long[DelayHistogram.CELLS];
            senders.get(i).statistics().delays(now);
            for (int cell = 0; cell < now.length; cell++) {
                now[cell] -= delays[i][cell];
            }
            figures.add(new TenantsResult.Figures(
                    tenant.name(),
                    tenant.bytes(),
                    meter.share(i),
                    tenant.weight() / weights,
                    messages[i] / meter.seconds(),
                    meter.rate(i),
                    meter.backlogged(i),
                    List.of(DelayHistogram.percentile(now, 50), DelayHistogram.percentile(now, 99))));
        }
        return new TenantsResult(meter.seconds(), meter.contended(), figures, latency());
    }

    private TenantsResult.Latency latency() {
        return pings.getTotalCount() == 0
                ? TenantsResult.Latency.NONE
                : new TenantsResult.Latency(
                        pings.getTotalCount(),
                        pings.getValueAtPercentile(50),
                        pings.getValueAtPercentile(99),
                        pings.getValueAtPercentile(99.9),
                        pings.getMaxValue());
    }
}
