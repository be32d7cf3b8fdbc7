package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Links that break under appends: each message arrives once, whole, in its queue and behind those of its queue pair
 * that were posted before it, also where a queue is full at that time; and at once, not when a timeout is over.
 */
@Timeout(180)
class NextLinkAppendTest {
    private static final long A = 0xA0;
    private static final long B = 0xB0;
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final int QUEUE_PAIRS = 4;
    private static final int QUEUES = 3;
    private static final int STREAMS = 5;
    private static final int MESSAGES = 200; // of a queue pair
    private static final int CHUNK = 64 << 10;
    private static final int MTU = 1024;
    private static final int[] LENGTHS = {0, 8, 8, 16, 24, 40, 100, 300, 900, MTU, MTU + 1, 2 * MTU, 3000, 7000};

    private static IntStream seeds() {
        return IntStream.range(0, 40);
    }

    /** Two nodes, a link, and what was posted and has come. */
    private static final class World {
        final SplittableRandom random;
        final Simulation simulation;
        final SimNode a;
        final SimNode b;
        final SimConnection link;
        final CompletionQueue completions;
        final MemoryRegion source;
        final List<QueuePair> senders = new ArrayList<>();
        final List<AppendQueue> queues = new ArrayList<>();
        final Map<String, List<String>> posted = new TreeMap<>(); // by queue and the receiver's queue pair
        final Map<String, List<String>> received = new TreeMap<>();
        final List<List<Integer>> completed = new ArrayList<>(); // by the sender's queue pair
        final List<WcStatus> statuses = new ArrayList<>();
        int taken; // messages
        boolean standsStill; // nobody takes from the first queue

        World(int seed) {
            random = new SplittableRandom(seed);
            simulation = new Simulation(seed);
            SimFabric fabric = new SimFabric(simulation);
            a = new SimNode(simulation, fabric, "a", A);
            b = new SimNode(simulation, fabric, "b", B);
            LinkProfile profile = new LinkProfile()
                    .delay(5 * MICRO)
                    .rate(10_000_000_000L)
                    .window(16 << 10)
                    .jitter(MICRO);
            link = fabric.connect(
                    a.nic().engine(0).endpoint(), b.nic().engine(0).endpoint(), profile);
            simulation.runFor(0);
            completions = a.nic().createCompletionQueue(1024);
            CompletionQueue theirs = b.nic().createCompletionQueue(64);
            ProtectionDomain here = a.nic().allocateProtectionDomain();
            ProtectionDomain there = b.nic().allocateProtectionDomain();
            source = here.allocate(QUEUE_PAIRS * MESSAGES * 8 + 8192, Access.ALL);
            for (int i = 0; i < source.length(); i += 8) {
                source.buffer().putLong(i, random.nextLong());
            }
            for (int i = 0; i < QUEUES; i++) {
                queues.add(there.createAppendQueue(new AppendQueueAttributes()
                        .chunkLength(CHUNK)
                        .maxMessage(8192)
                        .reserveChunks(1)
                        .memoryLimit(2L * CHUNK + 8192)));
            }
            ConnectAttributes attributes =
                    new ConnectAttributes().pathMtu(MTU).timeout(18).minRnrTimer(2); // 1.07 s, 20 us
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                QueuePair from = here.createQueuePair(
                        new QueuePairAttributes().completionQueue(completions).maxSend(MESSAGES));
                QueuePair to = there.createQueuePair(new QueuePairAttributes().completionQueue(theirs));
                from.connect(B, to.number(), attributes);
                to.connect(A, from.number(), attributes);
                senders.add(from);
                completed.add(new ArrayList<>());
                post(i, 0, to.number());
            }
            simulation.add("a.app", this::complete);
            simulation.add("b.app", this::take);
        }

        /** Some at a time: what is sent again then goes with more in a packet than before. */
        private void post(int sender, int first, int receiver) {
            QueuePair from = senders.get(sender);
            SendRequest request = new SendRequest();
            int end = Math.min(first + 1 + random.nextInt(8), MESSAGES);
            int to = random.nextInt(QUEUES);
            for (int i = first; i < end; i++) {
                to = random.nextInt(4) == 0 ? random.nextInt(QUEUES) : to; // some go together in a packet
                AppendQueue queue = queues.get(to);
                int length = LENGTHS[random.nextInt(LENGTHS.length)];
                int stream = random.nextInt(STREAMS);
                boolean immediate = random.nextInt(4) == 0;
                int offset = (sender * MESSAGES + i) * 8;
                if (immediate) {
                    request.appendImmediate(queue.id(), queue.key(), i);
                } else {
                    request.append(queue.id(), queue.key());
                }
                request.stream(stream).local(source.key(), offset, length).wrId(sender * MESSAGES + i);
                assertThat(from.post(request)).isEqualTo(PostResult.POSTED);
                posted.computeIfAbsent(to + " by " + receiver, k -> new ArrayList<>())
                        .add(text(source.buffer(), offset, length, stream, immediate ? i : -1));
            }
            from.doorbell();
            if (end < MESSAGES) {
                simulation.after(random.nextLong(40 * MICRO), () -> post(sender, end, receiver));
            }
        }

        private static String text(DirectBuffer buffer, int offset, int length, int stream, int immediate) {
            byte[] bytes = new byte[length];
            buffer.getBytes(offset, bytes);
            return "stream " + stream + ": " + length + " bytes " + Arrays.hashCode(bytes) + ", immediate " + immediate;
        }

        private int complete() {
            return completions.poll(
                    c -> {
                        statuses.add(c.status());
                        completed.get((int) c.wrId() / MESSAGES).add((int) c.wrId() % MESSAGES);
                    },
                    64);
        }

        private int take() {
            int before = taken;
            for (int i = standsStill ? 1 : 0; i < QUEUES; i++) {
                int queue = i;
                queues.get(i)
                        .poll(
                                (buffer, offset, length, qp, immediate, flags) -> {
                                    boolean has = (flags & RecordDescriptor.HAS_IMMEDIATE) != 0;
                                    int stream = RecordDescriptor.stream(flags);
                                    received.computeIfAbsent(queue + " by " + qp, k -> new ArrayList<>())
                                            .add(text(buffer, offset, length, stream, has ? immediate : -1));
                                    taken++;
                                },
                                16);
            }
            return taken - before;
        }

        /** Some breaks, at any time while messages are under way, and some as soon as the next link is there. */
        void breakLinks() {
            for (int i = random.nextInt(3); i >= 0; i--) {
                simulation.runFor(random.nextInt(3) == 0 ? random.nextInt(15_000) : random.nextLong(500 * MICRO));
                link.breakLink();
                simulation.runFor(random.nextLong(100 * MICRO));
                link.reconnect();
            }
        }

        void assertAllArriveOnce() {
            int all = QUEUE_PAIRS * MESSAGES;
            simulation.runUntil(() -> statuses.size() == all && taken == all, 500 * MILLI);
            simulation.runFor(5 * MILLI); // and nothing more comes
            assertThat(received).isEqualTo(posted);
            assertThat(statuses).hasSize(all).containsOnly(WcStatus.SUCCESS);
            List<Integer> inOrder = IntStream.range(0, MESSAGES).boxed().toList();
            assertThat(completed).allSatisfy(list -> assertThat(list).isEqualTo(inOrder));
            assertThat(senders).allSatisfy(qp -> assertThat(qp.state()).isEqualTo(QpState.RTS));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachMessageArrivesOnce(int seed) {
        World world = new World(seed);
        world.breakLinks();
        world.assertAllArriveOnce();
        assertThat(world.a.nic().counter(NicCounter.MERGED_APPENDS)).isPositive();
    }

    /** A queue pair whose oldest message finds a full queue when the link breaks, before it, or after. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aQueueThatIsFullAtThatTimeGetsEachMessageOnce(int seed) {
        World world = new World(seed);
        world.standsStill = true;
        world.simulation.after(500 * MICRO + world.random.nextLong(500 * MICRO), () -> world.standsStill = false);
        world.simulation.runFor(world.random.nextLong(500 * MICRO));
        world.breakLinks();
        world.assertAllArriveOnce();
        assertThat(world.a.nic().counter(NicCounter.RECEIVER_NOT_READY)).isPositive();
    }
}
