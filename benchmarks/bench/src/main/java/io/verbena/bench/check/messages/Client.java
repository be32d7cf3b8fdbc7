package io.verbena.bench.check.messages;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.ConnectionException;
import io.verbena.NodeMode;
import io.verbena.RemoteMemoryException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A thread with a node of its own, which takes a step of each of its loads in turn. */
final class Client {
    private static final Duration NAP = Duration.ofNanos(100_000);

    private final Site site;
    private final List<ClientLoad> loads;
    private final BooleanSupplier more;
    private final Thread thread;
    private final long[] progress;
    private volatile long heartbeat = System.nanoTime();
    private volatile String doing = "starting";
    private volatile boolean opened;

    /**
     * Prepares a client.
     *
     * @param more whether anything new is to be begun
     */
    Client(Site site, List<ClientLoad> loads, BooleanSupplier more) {
        this.site = site;
        this.loads = loads;
        this.more = more;
        this.progress = new long[loads.size()];
        this.thread =
                new FastThreadLocalThread(this::run, "client-" + site.node().name());
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            boolean goOn = open();
            opened = true;
            Arrays.fill(progress, System.nanoTime());
            while (goOn && site.findings().isClean()) {
                goOn = turn();
            }
            for (ClientLoad load : loads) {
                beat("closing " + load.state());
                load.close();
            }
        } catch (RuntimeException | Error e) {
            site.findings().report("client of node '" + site.node().name() + "', " + doing, e);
        } finally {
            beat("closing its node");
            site.node().close();
            site.tally().add(MessageTally.Count.CLOSES, 1);
        }
        doing = "ended";
    }

    /** Opens all loads. @return false if the hub was killed meanwhile */
    private boolean open() {
        try {
            beat("connecting");
            site.connectFirst(site.node(), HubInbox.SINK).close();
            for (ClientLoad load : loads) {
                beat("opening " + load.state());
                load.open();
            }
            return true;
        } catch (ConnectionException | RemoteMemoryException | IllegalStateException e) {
            if (!site.host().isDisturbed()) {
                throw e;
            }
            return false;
        }
    }

    private void beat(String now) {
        heartbeat = System.nanoTime();
        doing = now;
    }

    /** A step of each load. @return whether there is more to do */
    private boolean turn() {
        boolean goOn = more.getAsBoolean();
        int work = site.node().doWork();
        boolean settled = !goOn;
        long now = System.nanoTime();
        heartbeat = now;
        doing = goOn ? "sending" : "settling";
        for (int i = 0; i < progress.length; i++) {
            ClientLoad load = loads.get(i);
            int done = load.step(goOn);
            boolean idle = load.isSettled();
            settled &= idle;
            work += done;
            if (done > 0 || idle) {
                progress[i] = now;
            } else if (now - progress[i] > site.settings().stallNanos()) {
                stalled(load);
            }
        }
        if (work == 0 && !settled) {
            rest();
        }
        return !settled;
    }

    private void rest() {
        if (site.mode() == NodeMode.INVOKER) {
            site.node().await(NAP);
        } else {
            LockSupport.parkNanos(NAP.toNanos());
        }
    }

    private void stalled(ClientLoad load) {
        report(load.state());
    }

    private void report(String what) {
        site.findings()
                .report(new Flaw(
                        FlawKind.STALLED,
                        "node '" + site.node().name() + "' in mode " + site.mode(),
                        "its loads",
                        0,
                        -1,
                        "progress within " + site.settings().stallSeconds() + " s",
                        what + "\n" + state() + "\n" + site.host().state() + "\n" + Stacks.all()));
    }

    /** Looks from outside whether the thread itself stands still. */
    void watch() {
        if (thread.isAlive()
                && System.nanoTime() - heartbeat > 2 * site.settings().stallNanos()) {
            report("the client's thread stands still");
        }
    }

    /** Whether all that it connects at first is, or it has ended. */
    boolean isOpen() {
        return opened || !thread.isAlive();
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    String state() {
        StringBuilder text = new StringBuilder("client of node '" + site.node().name() + "', " + doing + ":");
        loads.forEach(load -> text.append("\n  ").append(load.state()));
        return text.toString();
    }
}
