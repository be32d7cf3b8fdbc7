package io.verbena.kv;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.OneSidedReader;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In steady state the common operations put nothing on the Java heap, in the shard and on the way to it. */
@Timeout(180)
class AllocationTest {
    private static final int KEYS = 1000;
    private static final int OPERATIONS = 100_000;
    /**
     * What else a thread may allocate meanwhile, the measurement included; one small object a round would be 1.6 MB.
     */
    private static final long SLACK = 200_000;

    private final byte[][] keys = new byte[KEYS][];
    private final byte[] value = "value of no number".getBytes(StandardCharsets.US_ASCII);
    private final byte[] otherValue = "v".repeat(700).getBytes(StandardCharsets.US_ASCII);
    private final byte[] field = "field".getBytes(StandardCharsets.US_ASCII);
    private final RequestEncoder request = new RequestEncoder();

    AllocationTest() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = ("key:" + i).getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** Request number i: reads, writes of changing length, counters, deletions, expiry, and the collections. */
    private int compose(MutableDirectBuffer buffer, int offset, int i) {
        byte[] key = keys[i / 16 * 7 % KEYS];
        switch (i % 16) {
            case 0 -> begin(buffer, offset, KvOp.SET).argument(key).argument(value);
            case 1, 2, 3 -> begin(buffer, offset, KvOp.GET).argument(key);
            case 4 -> begin(buffer, offset, KvOp.SET).argument(key).argument(otherValue);
            case 5 -> begin(buffer, offset, KvOp.PEXPIRE).argument(key).argument(100_000);
            case 6 -> begin(buffer, offset, KvOp.DEL).argument(key);
            case 7 -> begin(buffer, offset, KvOp.INCR).argument(key);
            case 8 -> begin(buffer, offset, KvOp.GET).argument(key);
            case 9 -> begin(buffer, offset, KvOp.DEL).argument(key);
            case 10 ->
                begin(buffer, offset, KvOp.HSET).argument(key).argument(field).argument(value);
            case 11 -> begin(buffer, offset, KvOp.HGET).argument(key).argument(field);
            case 12 -> begin(buffer, offset, KvOp.DEL).argument(key);
            case 13 -> begin(buffer, offset, KvOp.RPUSH).argument(key).argument(value);
            case 14 -> begin(buffer, offset, KvOp.LPOP).argument(key);
            default -> begin(buffer, offset, KvOp.MGET).argument(key).argument(keys[i % KEYS]);
        }
        return request.length();
    }

    private RequestEncoder begin(MutableDirectBuffer buffer, int offset, KvOp op) {
        return request.begin(buffer, offset, op, 0, 1, 0);
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** Allocates nothing, for it may be called often while a thread that holds a shard is off its processor. */
    private static void checkTime(long deadline) {
        if (System.nanoTime() > deadline) {
            throw new AssertionError("not within 50 s");
        }
    }

    @Test
    void aShardAllocatesNothing() {
        ExpandableDirectByteBuffer buffer = new ExpandableDirectByteBuffer(4096);
        long[] now = {1_700_000_000_000L};
        try (Shard shard = new Shard(new ShardContext().seed(1), () -> now[0]);
                ReplyEncoder reply = new ReplyEncoder()) {
            long bytes = 0;
            for (int round = 0; round < 4; round++) {
                long before = allocated();
                for (int i = 0; i < OPERATIONS; i++) {
                    shard.execute(buffer, 0, compose(buffer, 0, i), reply);
                    if (i % 100 == 0) {
                        now[0]++;
                        shard.housekeep(now[0], 200);
                    }
                }
                bytes = allocated() - before;
            }
            assertThat(bytes).isLessThan(SLACK);
            assertThat(shard.statistics().errors()).isZero();
        }
    }

    /** Client, nodes and shards all run on this thread. */
    @Test
    void theWayToAShardAllocatesNothing() {
        long[] replies = new long[1];
        ReplyHandler handler = (buffer, offset, length) -> replies[0]++;
        try (KvServer server = KvServer.launch(
                        new KvServerContext().name("kv-allocation").shards(2).mode(KvServerContext.Mode.ASSISTED));
                Node node = Node.launch(new NodeContext().mode(NodeMode.INVOKER));
                KvClient client = KvClient.connect(node, server, Duration.ofSeconds(20))) {
            ExpandableDirectByteBuffer scratch = new ExpandableDirectByteBuffer(4096);
            long deadline = System.nanoTime() + Duration.ofSeconds(50).toNanos();
            long bytes = Long.MAX_VALUE; // the least: a path that is rare loads classes when it is met first
            for (int round = 0; round < 4; round++) {
                long before = allocated();
                for (int i = 0; i < OPERATIONS; i++) {
                    int length = compose(scratch, 0, i);
                    while (client.claim(i / 16 % 2, length) != SendResult.SENT) {
                        checkTime(deadline);
                        client.flush();
                        client.poll(handler, 1000);
                        node.doWork();
                    }
                    client.claimBuffer().putBytes(client.claimOffset(), scratch, 0, length);
                    client.commit();
                    if (i % 50 == 0) {
                        client.flush();
                        client.poll(handler, 1000);
                        node.doWork();
                    }
                }
                bytes = Math.min(bytes, allocated() - before);
            }
            client.flush();
            while (client.outstanding() > 0) {
                checkTime(deadline);
                client.poll(handler, 1000);
                node.doWork();
            }
            assertThat(replies[0]).isEqualTo(4L * OPERATIONS);
            assertThat(bytes).isLessThan(SLACK);
        }
    }

    /** Every eighth key does not exist, and is asked for by a request. */
    @Test
    void readingAllocatesNothing() {
        ReplyHandler handler = (buffer, offset, length) -> {};
        try (KvServer server = KvServer.launch(new KvServerContext()
                        .name("kv-reads")
                        .shards(2)
                        .mode(KvServerContext.Mode.ASSISTED)
                        .oneSided(4 << 20));
                Node node = Node.launch(new NodeContext().mode(NodeMode.INVOKER));
                KvClient client = KvClient.connect(node, server, Duration.ofSeconds(20));
                OneSidedReader reader = OneSidedReader.attach(client, 16, Duration.ofSeconds(20))) {
            UnsafeBuffer key = new UnsafeBuffer(0, 0);
            long deadline = System.nanoTime() + Duration.ofSeconds(50).toNanos();
            ExpandableDirectByteBuffer scratch = new ExpandableDirectByteBuffer(4096);
            for (int i = 0; i < KEYS; i++) {
                if (i % 8 > 0) {
                    key.wrap(keys[i]);
                    begin(scratch, 0, KvOp.SET).argument(keys[i]).argument(value);
                    while (client.claim(client.shardOf(key, 0, keys[i].length), request.length()) != SendResult.SENT) {
                        checkTime(deadline);
                        client.flush();
                        client.poll(handler, 1000);
                    }
                    client.claimBuffer().putBytes(client.claimOffset(), scratch, 0, request.length());
                    client.commit();
                }
            }
            client.flush();
            long bytes = 0;
            for (int round = 0; round < 4; round++) {
                long before = allocated();
                for (int i = 0; i < OPERATIONS / 2; i++) {
                    byte[] bytesOfKey = keys[i % KEYS];
                    key.wrap(bytesOfKey);
                    while (reader.get(0, key, 0, bytesOfKey.length, i) != SendResult.SENT) {
                        checkTime(deadline);
                        reader.poll(handler, 1000);
                        node.doWork();
                    }
                }
                bytes = allocated() - before;
            }
            assertThat(reader.hits()).isGreaterThan(OPERATIONS);
            assertThat(reader.requested()).isGreaterThan(OPERATIONS / 8);
            assertThat(bytes).isLessThan(SLACK);
        }
    }
}
