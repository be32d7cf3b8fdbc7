package io.verbena.bench.kv;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.RateOptions;
import io.verbena.TenantOptions;
import io.verbena.Tenants;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A node with two tenants, one that sends single GETs and one that always has a batch of them under way. For one
 * thread, which gives both their turns: it never does more than {@value #STEP} operations of the batch before it looks
 * at the single one again, so what the single one waits for lies behind it.
 */
final class OverloadNode implements AutoCloseable {
    static final String SINGLE = "single";
    static final String BATCH = "batch";

    private static final int STEP = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);

    private final Node node;
    private final KeyClient single;
    private final KeyClient batch;

    /**
     * What was seen for a time.
     *
     * @param times of the single GETs, in nanoseconds
     * @param ahead GETs of the batch that were answered while a single one was under way
     * @param batchRate GETs a second of the batch
     */
    record Sample(Histogram times, Histogram ahead, double batchRate) {}

    /**
     * Connects.
     *
     * @param capacity operations a second, for {@link OverloadSetting#RATES}; at least {@link
     *     RateOptions#MIN_CAPACITY}
     */
    OverloadNode(OverloadSetting setting, KvServerProcess server, KeySet keys, int maxBatch, double capacity) {
        String singleName = setting.hasTenants ? SINGLE : Tenants.DEFAULT;
        String batchName = setting.hasTenants ? BATCH : Tenants.DEFAULT;
        NodeContext context = new NodeContext()
                .mode(NodeMode.INVOKER)
                .sharedMemory(server.address(singleName).startsWith("shm:"));
        if (setting.hasTenants) {
            context.tenant(new TenantOptions().name(SINGLE)).tenant(new TenantOptions().name(BATCH));
        }
        if (setting == OverloadSetting.RATES) {
            context.rates(new RateOptions().requests(capacity));
        } else if (setting == OverloadSetting.MEASURED) {
            context.rates(new RateOptions());
        }
        node = Node.launch(context);
        try {
            single = new KeyClient(node, singleName, server.address(singleName), keys, 1, 1, TIMEOUT);
            batch = new KeyClient(node, batchName, server.address(batchName), keys, maxBatch, 2, TIMEOUT);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /** Sets all keys. */
    void fill(KeySet keys) {
        long deadline = System.nanoTime() + LONGEST;
        for (int i = 0; i < keys.size(); ) {
            i += batch.set(i) ? 1 : 0;
            poll(deadline);
        }
        finish(deadline);
    }

    /** Both send for a time. */
    Sample run(boolean oneSided, int batchLength, double seconds) {
        Histogram times = new Histogram(LONGEST, 3);
        Histogram ahead = new Histogram(LONGEST, 3);
        long before = batch.answered();
        long answered = single.answered();
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        long asked = begin;
        long answeredBefore = before;
        long now = begin;
        while (now - end < 0) {
            if (single.outstanding() == 0 && single.get(oneSided)) {
                single.flush();
            }
            for (int i = 0; i < STEP && batch.outstanding() < batchLength && batch.get(oneSided); i++) {}
            poll(asked + LONGEST);
            now = System.nanoTime();
            if (single.answered() != answered) {
                answered++;
                times.recordValue(now - asked);
                ahead.recordValue(batch.answered() - answeredBefore);
                asked = now;
                answeredBefore = batch.answered();
            }
        }
        double rate = (batch.answered() - before) * 1e9 / (now - begin);
        finish(now + LONGEST);
        return new Sample(times, ahead, rate);
    }

    /** Waits until all is answered. */
    private void finish(long deadline) {
        while (single.outstanding() + batch.outstanding() > 0) {
            poll(deadline);
        }
    }

    private void poll(long deadline) {
        batch.flush();
        int replies = single.poll(1) + batch.poll(STEP);
        if (replies + node.doWork() == 0) {
            node.await(NAP); // where cores are short, the server may need this one
        }
        if (replies == 0 && System.nanoTime() - deadline > 0) {
            throw new RunException("the server has not answered within " + TIMEOUT + ", " + single.outstanding()
                    + " single and " + batch.outstanding() + " others outstanding");
        }
    }

    /** Does what the node has to do while others are measured. */
    void turn() {
        node.doWork();
    }

    @Override
    public void close() {
        single.close();
        batch.close();
        node.close();
    }
}
