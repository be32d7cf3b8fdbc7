package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.InboxShares;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.NodeRuntime;
import io.verbena.RateOptions;
import io.verbena.SendResult;
import io.verbena.TenantOptions;
import io.verbena.Tenants;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.store.ShardContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Single requests of one tenant beside a batch of another's that is always under way (DRUM, fig. 2a and 8), in a time
 * that the test makes: a request takes the shard 1 us, a turn 1 us more, and all that is not the shard 20 us. The next
 * single request comes at any time of the 20 us after the reply. Node, arbiter, rates, inboxes and shard are the real
 * ones; one thread drives them by turns, and the batch's client answers at once.
 */
@Timeout(180)
class OverloadTest {
    private static final long REQUEST_NANOS = 1_000;
    private static final long TURN_NANOS = 1_000;
    private static final long PATH_NANOS = 20_000;
    private static final int THINK_NANOS = 20_000; // at most
    private static final double RATE = 700_000; // of about 870,000 a second
    private static final int SKIPPED = 10; // single requests that are not counted
    private static final int SAMPLES = 500;
    private static final int MAX_TURNS = 1_000_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final byte[] KEY = "n".getBytes(StandardCharsets.US_ASCII);

    private final ExecutorService connecting = Executors.newCachedThreadPool();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        connecting.shutdownNow();
    }

    /** A shard, and a node whose tenants are its clients. */
    private final class World {
        final ShardRunner runner;
        final Node node;
        final KvClient single;
        final KvClient batch;
        private final RequestEncoder request = new RequestEncoder();
        private final AtomicLong now = new AtomicLong(1); // while clients connect, of two threads
        private final Random random = new Random(1);
        private final Random think = new Random(2);
        private int batchReplies;
        private int turnsWithBatchReplies;

        World(String singles, String batches) throws Exception {
            this(singles, batches, new NodeContext());
        }

        World(String singles, String batches, NodeContext clients) throws Exception {
            Node server = launch(ofTest(new NodeContext()).name(KvServerTest.name()));
            KvServerContext context = new KvServerContext();
            tenants().forEach(context::tenant);
            AtomicIntegerArray shards =
                    new AtomicIntegerArray(context.tenantNames().size());
            runner = new ShardRunner(server, context, new ShardContext(), shards, () -> {});
            open.add(runner);
            node = launch(ofTest(clients));
            single = connect(server, singles);
            batch = connect(server, batches);
        }

        private NodeContext ofTest(NodeContext context) {
            context.mode(NodeMode.INVOKER)
                    .runtime(new NodeRuntime(
                            now::get, random::nextLong, connecting, () -> now.addAndGet(TURN_NANOS), false));
            tenants().forEach(context::tenant);
            return context;
        }

        private Node launch(NodeContext context) {
            Node launched = Node.launch(context);
            open.add(launched);
            return launched;
        }

        private KvClient connect(Node server, String tenant) throws Exception {
            List<String> address = List.of("local:" + server.name() + "/" + ShardInboxes.nameOf(tenant));
            CompletableFuture<KvClient> connected =
                    CompletableFuture.supplyAsync(() -> KvClient.connect(node, tenant, address, TIMEOUT), connecting);
            while (!connected.isDone()) {
                runner.turn();
                now.addAndGet(TURN_NANOS);
                Thread.yield();
            }
            KvClient client = connected.get(1, TimeUnit.SECONDS);
            open.add(client);
            return client;
        }

        /** The 80th percentile of the single requests' round trips beside so many of the batch's. */
        long p80(int depth) {
            List<Long> times = new ArrayList<>();
            boolean isAsked = false;
            long asked = now.get();
            for (int turns = 0; times.size() < SKIPPED + SAMPLES; turns++) {
                assertThat(turns).as("turns for %s replies", times.size()).isLessThan(MAX_TURNS);
                poll();
                if (isAsked && single.outstanding() == 0) {
                    isAsked = false;
                    times.add(now.get() - asked + PATH_NANOS);
                    asked = now.get() + PATH_NANOS + think.nextInt(THINK_NANOS);
                }
                if (!isAsked && now.get() >= asked) {
                    isAsked = ask(single);
                }
                while (batch.outstanding() < depth && ask(batch)) {}
                single.flush();
                batch.flush();
                long executed = executed();
                runner.turn();
                now.addAndGet(TURN_NANOS + (executed() - executed) * REQUEST_NANOS);
                node.doWork();
            }
            return times.stream().skip(SKIPPED).sorted().toList().get(SAMPLES * 80 / 100);
        }

        private void poll() {
            int before = batchReplies;
            int taken;
            do {
                taken = batch.poll((buffer, offset, length) -> {}, 1000);
                batchReplies += taken;
                taken += single.poll((buffer, offset, length) -> {}, 1000);
            } while (taken > 0);
            turnsWithBatchReplies += batchReplies > before ? 1 : 0;
        }

        private boolean ask(KvClient client) {
            int length = RequestDescriptor.HEADER_LENGTH + RequestDescriptor.argumentLength(KEY.length);
            if (client.claim(0, length) != SendResult.SENT) {
                return false;
            }
            request.begin(client.claimBuffer(), client.claimOffset(), KvOp.INCR, 0, 0, 0)
                    .argument(KEY);
            return client.commit() == SendResult.SENT;
        }

        private long executed() {
            return runner.shard().statistics().totalCalls();
        }
    }

    private static List<TenantOptions> tenants() {
        return List.of(new TenantOptions().name("gold"), new TenantOptions().name("tin"));
    }

    @Test
    void oneTenantWaitsForTheWholeBatch() throws Exception {
        World world = new World(Tenants.DEFAULT, Tenants.DEFAULT);
        assertThat(world.p80(100)).isGreaterThan(5 * world.p80(20) / 2);
    }

    /** For what is left of a slice when it comes: a quarter more than alone. */
    @Test
    void anotherTenantWaitsForASliceWhateverTheBatch() throws Exception {
        assertThatOneIsServedBesideTheOther(new World("gold", "tin"));
    }

    /** So it does where a rate is given out in lots that are longer than the batch. */
    @Test
    void ratesDoNotChangeThat() throws Exception {
        NodeContext clients = new NodeContext().rates(new RateOptions().requests(RATE));
        assertThatOneIsServedBesideTheOther(new World("gold", "tin", clients));
    }

    private static void assertThatOneIsServedBesideTheOther(World world) {
        long alone = world.p80(0);
        assertThat(alone).isLessThanOrEqualTo(PATH_NANOS + 3 * TURN_NANOS);
        for (int depth = 20; depth <= 100; depth += 20) {
            assertThat((double) world.p80(depth) / alone).as("beside %s", depth).isLessThanOrEqualTo(1.3);
        }
    }

    /** Those of one who has more to ask leave after four slices, or when there is nothing more to do. */
    @Test
    void repliesOfABatchLeaveTogether() throws Exception {
        World world = new World("gold", "tin");
        world.p80(100);
        assertThat((double) world.batchReplies / world.turnsWithBatchReplies).isGreaterThan(2.5 * InboxShares.SLICE);
    }
}
