package io.verbena.mux;

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
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long and short messages of channels that share a queue pair, over simulated links: each whole, once, in order. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SegmentsTest {
    private static final long A = 0xA0;
    private static final long B = 0xB0;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int SEGMENT = 16 << 10;
    private static final int MAX = 300_000;
    private static final int DEPTH = 16;

    /** One channel's messages: what is posted is a function of the channel and the message's number. */
    private final class Sender {
        final int number;
        final SharedPath path;
        final SendRequest request = new SendRequest();
        int posted;
        int received;
        long bytes; // received

        Sender(int number, int weight) {
            this.number = number;
            this.path = shared.join(weight);
            assertThat(path.stream()).isEqualTo(number + 1);
        }

        boolean post(int length) {
            int at = (31 * number + 7 * posted) & 0xFF;
            request.appendImmediate(queue.id(), queue.key(), posted).stream(path.stream())
                    .signaled(false)
                    .local(data.key(), at, length);
            boolean done = path.post(request) == PostResult.POSTED;
            posted += done ? 1 : 0;
            return done;
        }

        void take(DirectBuffer b, int offset, int length, int immediate) {
            assertThat(immediate).as("message of channel %s", number).isEqualTo(received);
            int at = (31 * number + 7 * received) & 0xFF;
            for (int i = 0; i < length; i++) {
                if (b.getByte(offset + i) != data.buffer().getByte(at + i)) {
                    throw new AssertionError("message " + received + " of channel " + number + " is torn at " + i);
                }
            }
            received++;
            bytes += length;
        }
    }

    private final List<Sender> senders = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>(); // channels of messages that were received
    private Simulation simulation;
    private SimConnection link;
    private SharedQueuePair shared;
    private QueuePair peer;
    private MemoryRegion data;
    private AppendQueue queue;
    private SenderQuota quota;

    private void start(long seed, LinkProfile profile, int segment, int quotaBytes) {
        simulation = new Simulation(seed);
        SimFabric fabric = new SimFabric(simulation);
        SimNode a = new SimNode(simulation, fabric, "a", A);
        SimNode b = new SimNode(simulation, fabric, "b", B);
        ProtectionDomain pd = a.nic().allocateProtectionDomain();
        CompletionQueue errors = a.nic().createCompletionQueue(2048);
        shared = new SharedQueuePair(
                pd.createQueuePair(new QueuePairAttributes()
                        .completionQueue(errors)
                        .maxSge(1)
                        .maxSend(1024)
                        .maxInline(64)),
                DEPTH,
                DEPTH,
                segment);
        data = pd.allocate(MAX + 256, 0);
        Random random = new Random(1);
        for (int i = 0; i < MAX + 256; i++) {
            data.buffer().putByte(i, (byte) random.nextInt());
        }
        ProtectionDomain there = b.nic().allocateProtectionDomain();
        quota = b.nic().createSenderQuota(quotaBytes);
        queue = there.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(64 << 10)
                .maxMessage(MAX)
                .memoryLimit(4 << 20));
        peer = there.createQueuePair(new QueuePairAttributes()
                .completionQueue(b.nic().createCompletionQueue(64))
                .senderQuota(quota));
        link = fabric.connect(a.nic().engine(0).endpoint(), b.nic().engine(0).endpoint(), profile);
        simulation.runFor(0);
        ConnectAttributes attributes =
                new ConnectAttributes().timeout(8).retryCount(7).rnrRetry(7).minRnrTimer(2);
        shared.queuePair().connect(B, peer.number(), attributes);
        peer.connect(A, shared.queuePair().number(), attributes);
    }

    private Sender sender(int weight) {
        Sender sender = new Sender(senders.size(), weight);
        senders.add(sender);
        return sender;
    }

    private void take(int most) {
        queue.poll(
                (b, offset, length, qp, immediate, flags) -> {
                    int number = RecordDescriptor.stream(flags) - 1;
                    order.add(number);
                    senders.get(number).take(b, offset, length, immediate);
                },
                most);
    }

    private boolean isDone() {
        return senders.stream().allMatch(s -> s.received == s.posted && s.path.outstanding() == 0);
    }

    private void finish() {
        for (int i = 0; i < 20_000 && !isDone(); i++) {
            simulation.runFor(MS);
            take(100);
        }
        assertThat(isDone())
                .as(
                        "all has arrived: %s, %s",
                        shared.queuePair().state(),
                        senders.stream().map(s -> s.received + "/" + s.posted).toList())
                .isTrue();
        assertThat(quota.bytes()).isZero();
    }

    private static int length(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> SEGMENT + 1 + random.nextInt(MAX - SEGMENT - 1);
            case 1 -> SEGMENT - 2 + random.nextInt(4);
            case 2 -> random.nextInt(SEGMENT);
            default -> random.nextInt(200);
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void eachIsWholeOnceAndInOrderThroughLossAndReconnects(long seed) {
        Random random = new Random(seed);
        LinkProfile profile = new LinkProfile()
                .rate(10_000_000_000L)
                .loss(random.nextInt(3) * 0.01)
                .duplication(random.nextInt(3) * 0.02)
                .reordering(random.nextInt(3) * 0.02, 20_000)
                .direct(random.nextInt(3) == 0);
        start(seed, profile, 1024 << random.nextInt(6), MAX + 100 + random.nextInt(50_000));
        for (int i = 0; i < 6; i++) {
            sender(1 + random.nextInt(4));
        }
        Sender closing = senders.get(0);
        for (int step = 0; step < 400; step++) {
            for (int i = 0; i < 8; i++) {
                Sender sender = senders.get(random.nextInt(senders.size()));
                if (sender != closing || step < 200) {
                    sender.post(length(random));
                }
            }
            if (random.nextInt(60) == 0) {
                link.breakLink();
                simulation.runFor(random.nextInt(200_000));
                link.reconnect();
            }
            if (random.nextInt(3) > 0) {
                take(1 + random.nextInt(20));
            }
            simulation.runFor(random.nextInt(100_000));
        }
        finish();
        assertThat(shared.queuePair().state()).isEqualTo(QpState.RTS);
    }

    /** What was begun goes to its end, what was not is never sent, and the others do not notice. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void oneThatClosesInTheMiddleOfAMessageHoldsNothing(long seed) {
        start(seed, new LinkProfile().rate(1_000_000_000L).loss(0.005), SEGMENT, 4 * MAX);
        Sender closing = sender(1);
        Sender other = sender(1);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(closing.post(MAX)).isTrue();
        }
        assertThat(other.post(MAX)).isTrue();
        assertThat(other.post(10)).isTrue();
        simulation.runFor(MS + 100_000 * seed);
        closing.path.close();
        closing.path.parts();
        int limit = 0;
        while (!closing.path.isReleased() || other.received < 2) {
            simulation.runFor(MS);
            take(10);
            assertThat(limit++).isLessThan(10_000);
        }
        assertThat(closing.received).isBetween(1, DEPTH - 1);
        assertThat(other.path.outstanding()).isZero();
        assertThat(other.post(MAX)).isTrue();
        while (other.received < 3) {
            simulation.runFor(MS);
            take(10);
            assertThat(limit++).isLessThan(10_000);
        }
        assertThat(quota.bytes()).isZero();
    }

    /** A queue pair that breaks in the middle leaves nothing behind, here or at the peer. */
    @Test
    void anErrorInTheMiddleOfAMessageReleasesIt() {
        start(1, new LinkProfile().rate(1_000_000_000L), SEGMENT, 4 * MAX);
        Sender sender = sender(1);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(sender.post(MAX)).isTrue();
        }
        simulation.runFor(MS);
        assertThat(quota.bytes()).isPositive();
        assertThat(sender.path.isReleased()).isFalse();
        peer.close();
        simulation.runUntil(() -> shared.queuePair().state() == QpState.ERR, 10_000 * MS);
        sender.path.close();
        assertThat(sender.path.isReleased()).isTrue();
        assertThat(quota.bytes()).isZero();
        take(10);
        assertThat(sender.received).isZero();
    }

    /** Of ten short messages that are offered while a long one is sent, how many arrive before it. */
    private int overtaking(int segment) {
        start(1, new LinkProfile().rate(1_000_000_000L), segment, 4 * MAX);
        Sender patient = sender(1);
        Sender brief = sender(1);
        assertThat(patient.post(MAX)).isTrue();
        for (int i = 0; i < 10; i++) {
            simulation.runFor(150_000);
            assertThat(brief.post(32)).isTrue();
        }
        finish();
        return order.indexOf(0);
    }

    @Test
    void shortMessagesOvertakeALongOne() {
        assertThat(overtaking(SEGMENT)).isEqualTo(10);
    }

    @Test
    void withoutSegmentsTheyWaitForAllOfIt() {
        assertThat(overtaking(Integer.MAX_VALUE)).isZero();
    }

    /** Long messages of two lengths, and short ones: each channel has its weight's part of the bytes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void weightsHoldInBytes(int weight) {
        start(1, new LinkProfile().rate(1_000_000_000L), SEGMENT, 8 * MAX);
        Sender one = sender(1);
        Sender heavy = sender(weight);
        Sender brief = sender(1);
        while (simulation.nowNanos() < 2_000 * MS) {
            while (one.post(200_000)) {}
            while (heavy.post(70_000)) {}
            while (brief.post(8000)) {}
            simulation.runFor(200_000);
            take(1000);
        }
        double parts = weight + 2;
        double all = one.bytes + heavy.bytes + brief.bytes;
        assertThat(all).isGreaterThan(200e6); // the link is full
        assertThat(one.bytes / all).isBetween(0.93 / parts, 1.07 / parts);
        assertThat(heavy.bytes / all).isBetween(0.95 * weight / parts, 1.05 * weight / parts);
        assertThat(brief.bytes / all).isBetween(0.95 / parts, 1.05 / parts);
        finish();
    }
}
