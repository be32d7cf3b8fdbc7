package io.verbena.bench.kv;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Tenants;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** A node with a {@link KeyClient} that is as busy as it can be. For one thread. */
final class KvLoad implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);
    private static final int POLLED = 64;

    private final Node node;
    private final KeyClient client;
    private final int depth;
    private final SplittableRandom random = new SplittableRandom(1);

    /**
     * Connects, and sets all keys.
     *
     * @param address of the server's shard
     * @param depth operations under way
     */
    KvLoad(String address, KeySet keys, int depth) {
        this.depth = depth;
        node = Node.launch(new NodeContext().mode(NodeMode.INVOKER).sharedMemory(address.startsWith("shm:")));
        client = new KeyClient(node, Tenants.DEFAULT, address, keys, depth, 1, TIMEOUT);
        for (int i = 0; i < keys.size(); i++) {
            awaitBelow(depth);
            long deadline = System.nanoTime() + LONGEST;
            while (!client.set(i)) {
                poll(deadline);
            }
        }
        awaitBelow(1);
    }

    /** GETs that READs have answered, of all that were asked of the reader. */
    double hitRatio() {
        return client.hitRatio();
    }

    /**
     * Keeps as many operations under way as the depth says.
     *
     * @param writes per cent of them that are SETs
     * @return operations a second
     */
    double rate(boolean oneSided, int writes, double seconds) {
        long before = client.answered();
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        while (System.nanoTime() - end < 0) {
            while (client.outstanding() < depth) {
                ask(random.nextInt(100) < writes, oneSided);
            }
            awaitBelow(depth);
        }
        awaitBelow(1);
        return (client.answered() - before) * 1e9 / (System.nanoTime() - begin);
    }

    /** GETs, one at a time. */
    Histogram roundTrips(boolean oneSided, double seconds) {
        Histogram times = new Histogram(LONGEST, 3);
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        while (begin - end < 0) {
            ask(false, oneSided);
            awaitBelow(1);
            long now = System.nanoTime();
            times.recordValue(now - begin);
            begin = now;
        }
        return times;
    }

    private void ask(boolean isSet, boolean oneSided) {
        long deadline = System.nanoTime() + LONGEST;
        while (!(isSet ? client.set() : client.get(oneSided))) {
            poll(deadline);
        }
    }

    /** Takes replies until fewer operations than that are under way. */
    private void awaitBelow(int limit) {
        client.flush();
        long deadline = System.nanoTime() + LONGEST;
        while (client.outstanding() >= limit) {
            poll(deadline);
        }
    }

    private void poll(long deadline) {
        if (client.poll(POLLED) == 0) {
            client.flush();
            if (node.doWork() == 0) {
                node.await(NAP); // where cores are short, the server may need this one
            }
            if (System.nanoTime() - deadline > 0) {
                throw new RunException(
                        "the server has not answered within " + TIMEOUT + ", " + client.outstanding() + " outstanding");
            }
        }
    }

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
