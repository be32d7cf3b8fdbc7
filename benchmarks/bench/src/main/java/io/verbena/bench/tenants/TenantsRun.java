package io.verbena.bench.tenants;

import io.verbena.bench.path.Rendezvous;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.FabricKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures tenants beside each other. Who runs the NICs:
 *
 * <pre>
 *   fabric local         the NIC's own thread sends; one thread posts for all tenants and polls all sinks
 *     with a ping        one thread pings; one posts for all tenants, polls all sinks and answers; both run the NIC
 *   over links           the NIC's own thread sends; one posts for all tenants; one, or a process, takes what comes
 *     with a ping        one thread runs the NIC, posts for all tenants and pings; one, or a process, takes what comes
 * </pre>
 *
 * The thread that calls samples what the NIC says of each group, once a millisecond, or beside a ping 20 times a
 * second, and sleeps in between.
 */
final class TenantsRun {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Beside a ping: who samples takes the processor from one of the two threads that are measured. */
    private static final long RARE_SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long SET_UP_SECONDS = 60;

    private final TenantsSetting setting;
    private final List<TurnThread> workers = new ArrayList<>();
    private volatile @Nullable Histogram pings; // while they are counted

    private TenantsRun(TenantsSetting setting) {
        this.setting = setting;
    }

    // ---- who does what
    // -----------------------------------------------------------------------------------------------

    /** Measures with both sides in this process. */
    static TenantsResult run(TenantsSetting setting) {
        TenantsRun run = new TenantsRun(setting);
        return run.inThisProcess(near -> {}, (near, far) -> run.measure(near.senders(), far::taken));
    }

    /** Measures without and then with an adversary, both sides in this process. */
    static Beside run(Beside.Setting beside) {
        TenantsRun run = new TenantsRun(beside.tenants());
        return run.inThisProcess(near -> near.letPost(beside.before()), (near, far) -> run.measure(beside, near, far));
    }

    private <R> R inThisProcess(Consumer<NearSide> begin, BiFunction<NearSide, FarNic, R> measuring) {
        return setting.fabric() == FabricKind.LOCAL ? local(begin, measuring) : linked(begin, measuring);
    }

    /** Measures with the other side in another process. */
    static TenantsResult run(TenantsSetting setting, Rendezvous other) {
        TenantsRun run = new TenantsRun(setting);
        CompletableFuture<NearSide> near = new CompletableFuture<>();
        try {
            run.start("near side", () -> run.sending(completing(near, () -> NearSide.open(setting, other))));
            return run.measure(run.joined(near).senders(), () -> TenantsProcess.taken(other));
        } finally {
            run.stop();
        }
    }

    private <R> R local(Consumer<NearSide> begin, BiFunction<NearSide, FarNic, R> measuring) {
        Rendezvous[] pair = Rendezvous.pair();
        CompletableFuture<FarNic> opening = CompletableFuture.supplyAsync(
                () -> FarNic.open(setting, pair[1]), task -> new Thread(task, "far side").start());
        try (NearSide near = NearSide.open(setting, pair[0]);
                FarNic far = joined(opening)) {
            bringBack(near, far);
            begin.accept(near);
            try {
                start("tenants", () -> new TurnThread.Job(() -> near.turn() + far.turn(), () -> {}));
                if (setting.ping() != Ping.NONE) {
                    start("ping", () -> new TurnThread.Job(() -> ping(near.pinger(), () -> {}), () -> {}));
                }
                return measuring.apply(near, far);
            } finally {
                stop();
            }
        }
    }

    private <R> R linked(Consumer<NearSide> begin, BiFunction<NearSide, FarNic, R> measuring) {
        Rendezvous[] pair = Rendezvous.pair();
        CompletableFuture<FarNic> opening = new CompletableFuture<>();
        CompletableFuture<NearSide> near = new CompletableFuture<>();
        try {
            start("far side", () -> {
                FarNic far = completing(opening, () -> FarNic.open(setting, pair[1]));
                return new TurnThread.Job(far::turn, far::close);
            });
            start("near side", () -> {
                NearSide made = NearSide.open(setting, pair[0]);
                bringBack(made, joined(opening));
                begin.accept(made);
                near.complete(made);
                return sending(made);
            });
            return measuring.apply(joined(near), joined(opening));
        } finally {
            stop();
        }
    }

    private TurnThread.Job sending(NearSide near) {
        if (setting.ping() == Ping.NONE) {
            return new TurnThread.Job(near::turn, near::close);
        }
        return new TurnThread.Job(() -> near.turn() + ping(near.pinger(), near::turn), near::close);
    }

    private int ping(Pinger pinger, Runnable idle) {
        Histogram counted = pings;
        long nanos = pinger.roundTrip(idle);
        if (counted != null) {
            counted.recordValue(Math.min(nanos, Sampling.MAX_PING));
        }
        return 1;
    }

    private static void bringBack(NearSide near, FarNic far) {
        for (int i = 0; i < near.senders().size(); i++) {
            TenantSender sender = near.senders().get(i);
            TenantSink sink = far.sink(i);
            if (sender.tenant().conduct() == Conduct.INVALID) {
                sender.onReset((index, number, attributes) -> sink.reconnect(index, near.nicId(), number, attributes));
            }
        }
    }

    private void start(String name, Supplier<TurnThread.Job> setUp) {
        workers.add(new TurnThread(name, setUp));
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
            throw Waits.interrupted(e);
        } catch (TimeoutException e) {
            workers.forEach(TurnThread::check);
            throw new RunException("the tenants are not connected within " + SET_UP_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new RunException("a side did not come up: " + e.getCause(), e);
        }
    }

    // ---- sampling
    // ----------------------------------------------------------------------------------------------------

    private TenantsResult measure(List<TenantSender> senders, Supplier<long[]> taken) {
        Sampling sampling = sample(senders, taken);
        end();
        return sampling.result();
    }

    private Beside measure(Beside.Setting beside, NearSide near, FarNic far) {
        Sampling before = sample(near.senders(), far::taken);
        near.letPost(Integer.MAX_VALUE);
        AtomicLong attacks = new AtomicLong();
        if (beside.adversary().isAttack()) {
            start("attack", () -> attacking(beside.adversary().attack(near, far), attacks));
        }
        long begin = System.nanoTime();
        Sampling during = sample(near.senders(), far::taken);
        double rate = attacks.get() * 1e9 / (System.nanoTime() - begin);
        end();
        return new Beside(before.result(), during.result(), rate);
    }

    private static TurnThread.Job attacking(Attack attack, AtomicLong attacks) {
        return new TurnThread.Job(
                () -> {
                    int done = attack.turn();
                    attacks.addAndGet(done);
                    return done;
                },
                attack::close);
    }

    private void end() {
        stop();
        workers.forEach(TurnThread::check);
    }

    private Sampling sample(List<TenantSender> senders, Supplier<long[]> taken) {
        pause(TimeUnit.MILLISECONDS.toNanos((long) (setting.warmup() * 1e3)));
        long between = setting.ping() == Ping.NONE ? SAMPLE_NANOS : RARE_SAMPLE_NANOS;
        Sampling sampling = new Sampling(senders, taken);
        pings = sampling.pings();
        while (sampling.seconds() < setting.seconds()) {
            pause(between);
            sampling.look();
        }
        pings = null;
        sampling.end();
        return sampling;
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
}
