package io.verbena.bench.promise;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.Requester;
import io.verbena.RequesterOptions;
import io.verbena.SendResult;
import io.verbena.TenantOptions;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.FabricKind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A node with two tenants, each with a thread that offers messages as fast as they are taken. */
final class Flood implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);
    private static final int LINE = 16; // longs
    private static final int SPINS = 16;

    /** Nanoseconds between two offers after which their thread may have lost its processor meanwhile. */
    private static final long AWAY_NANOS = 100_000;

    private static final long JOIN_MILLIS = 10_000;

    private final Node node;
    private final Thread[] threads = new Thread[2];
    private final AtomicLongArray refusedNanos = new AtomicLongArray(3 * LINE);
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    /** One way of a tenant's to offer a message. */
    @FunctionalInterface
    private interface Offer {
        SendResult offer(UnsafeBuffer message, int length);
    }

    /**
     * How much a tenant has offered, up to a moment.
     *
     * @param nanos the moment, as {@link System#nanoTime}
     * @param refused nanoseconds from a refusal to the next offer, if that came soon
     * @param charged to both tenants
     * @param without charged to the other of it, where that was chosen while this tenant had no work
     */
    record Offered(long nanos, long refused, long charged, long without) {
        /**
         * The part since then in which it certainly offered more than was taken, of the time or of what was sent; 0 to
         * 1.
         */
        double since(Offered before) {
            double ofTime = (refused - before.refused) / (double) Math.max(1, nanos - before.nanos);
            double ofSent = 1 - (without - before.without) / (double) Math.max(1, charged - before.charged);
            return Math.min(1, Math.max(ofTime, ofSent));
        }
    }

    /** Connects, and starts to send. */
    Flood(Cell cell, String address) {
        NodeContext context = new NodeContext().name("promise-near").mode(cell.mode());
        if (cell.fabric() != FabricKind.LOCAL) {
            context.sharedMemory(cell.fabric() == FabricKind.SHM);
        }
        for (int i = 0; i < threads.length; i++) {
            context.tenant(
                    new TenantOptions().name(name(i)).weight(cell.weights().of(i)));
        }
        node = Node.launch(context);
        try {
            for (int i = 0; i < threads.length; i++) {
                int tenant = i;
                Offer way = way(cell, tenant, address + "/" + cell.receiver().inbox(i));
                threads[i] = new FastThreadLocalThread(
                        () -> flood(tenant, way, CellContent.message(tenant, cell.sizes())), "promise-" + name(tenant));
                threads[i].setDaemon(true);
            }
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        for (Thread each : threads) {
            each.start();
        }
    }

    private static String name(int tenant) {
        return tenant == 0 ? "first" : "second";
    }

    private Offer way(Cell cell, int tenant, String address) {
        if (cell.receiver() == ReceiverKind.RESPONDER) {
            Requester requester = node.tenant(name(tenant)).openRequester(new RequesterOptions());
            Channel channel = requester.connect(address, CONNECT);
            requester.pollOnNode();
            return (message, length) -> requester.call(channel, message, 0, length, CALL_TIMEOUT, 0, response -> {});
        }
        Channel channel = node.tenant(name(tenant)).connect(address, CONNECT);
        return (message, length) -> channel.offer(message, 0, length);
    }

    private void flood(int tenant, Offer way, UnsafeBuffer message) {
        int length = message.capacity();
        int refused = 0;
        long refusedAt = 0;
        try {
            while (!stopped) {
                SendResult result = way.offer(message, length);
                if (result == SendResult.CLOSED) {
                    throw new RunException("a channel of tenant " + name(tenant) + " closed");
                }
                long now = refused > 0 || result != SendResult.SENT ? System.nanoTime() : 0;
                if (refused > 0 && now - refusedAt < AWAY_NANOS) {
                    int cell = (tenant + 1) * LINE;
                    refusedNanos.lazySet(cell, refusedNanos.getPlain(cell) + now - refusedAt);
                }
                refusedAt = now;
                if (result == SendResult.SENT) {
                    refused = 0;
                } else if (++refused < SPINS) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        } catch (RuntimeException | Error e) {
            if (!stopped) {
                failure = e;
            }
        }
    }

    /** Sets the weights that hold in the second half. */
    void change(Weights weights) {
        for (int i = 0; i < threads.length; i++) {
            node.tenants().weight(name(i), weights.later(i));
        }
    }

    /**
     * How much a tenant has offered until now.
     *
     * @throws RunException if its thread has failed
     */
    Offered offered(int tenant) {
        Throwable cause = failure;
        if (cause != null) {
            throw new RunException("a sender failed: " + cause, cause);
        }
        GroupStatistics own = node.tenant(name(tenant)).statistics();
        GroupStatistics others = node.tenant(name(1 - tenant)).statistics();
        long without = others.charged() - others.contended();
        return new Offered(
                System.nanoTime(), refusedNanos.get((tenant + 1) * LINE), own.charged() + others.charged(), without);
    }

    @Override
    public void close() {
        stopped = true;
        for (Thread each : threads) {
            Waits.join(each, JOIN_MILLIS);
        }
        node.close();
    }
}
