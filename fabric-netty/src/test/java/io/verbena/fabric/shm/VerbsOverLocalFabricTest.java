package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The verbs between two NICs of one process: one-sided requests and appends directly, messages through the ring. */
@Timeout(180)
class VerbsOverLocalFabricTest {
    private static final int LENGTH = 1 << 20;

    private final List<String> completions = new ArrayList<>();
    private Nic a;
    private Nic b;
    private CompletionQueue cqA;
    private CompletionQueue cqB;
    private QueuePair qpA;
    private QueuePair qpB;
    private MemoryRegion mrA;
    private MemoryRegion mrB;
    private ProtectionDomain pdB;
    private final SendRequest request = new SendRequest();

    @BeforeEach
    void connect() {
        a = Nic.open(new NicContext().mode(EngineMode.INVOKER));
        b = Nic.open(new NicContext().mode(EngineMode.INVOKER));
        LocalFabric.connect(a.engine(0).endpoint(), b.engine(0).endpoint());
        ProtectionDomain pdA = a.allocateProtectionDomain();
        pdB = b.allocateProtectionDomain();
        cqA = a.createCompletionQueue(256);
        cqB = b.createCompletionQueue(256);
        mrA = pdA.allocate(LENGTH, Access.ALL);
        mrB = pdB.allocate(LENGTH, Access.ALL);
        qpA = pdA.createQueuePair(new QueuePairAttributes().completionQueue(cqA));
        qpB = pdB.createQueuePair(new QueuePairAttributes().completionQueue(cqB));
        qpA.connect(b.id(), qpB.number());
        qpB.connect(a.id(), qpA.number());
        for (int i = 0; i < LENGTH; i += 8) {
            mrA.buffer().putLong(i, i * 0x9E3779B97F4A7C15L);
        }
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    @Test
    void sendConsumesAReceiveAndIsAcknowledged() {
        qpB.postReceive(42, mrB.key(), 0, 100_000);
        qpA.postSend(request.send().local(mrA.key(), 0, 100_000).wrId(7));
        run(() -> drain() >= 2);
        assertThat(completions).containsExactlyInAnyOrder("A SUCCESS SEND 7", "B SUCCESS RECEIVE 42");
        assertSame(100_000);
    }

    /** Numbers get a generation when their slot is used again: what peers see of a queue pair lies by its slot. */
    @Test
    void slotsAreUsedAgain() {
        try (Nic c = Nic.open(new NicContext().mode(EngineMode.INVOKER).maxQueuePairs(16));
                Nic d = Nic.open(new NicContext().mode(EngineMode.INVOKER).maxQueuePairs(16))) {
            LocalFabric.connect(c.engine(0).endpoint(), d.engine(0).endpoint());
            ProtectionDomain pdC = c.allocateProtectionDomain();
            ProtectionDomain pdD = d.allocateProtectionDomain();
            CompletionQueue cqC = c.createCompletionQueue(16);
            CompletionQueue cqD = d.createCompletionQueue(16);
            MemoryRegion mrC = pdC.allocate(64, Access.ALL);
            MemoryRegion mrD = pdD.allocate(64, Access.ALL);
            AppendQueue queue = pdD.createAppendQueue(new AppendQueueAttributes());
            int[] records = new int[1];
            for (int i = 1; i <= 50; i++) {
                QueuePair qpC = pdC.createQueuePair(new QueuePairAttributes().completionQueue(cqC));
                QueuePair qpD = pdD.createQueuePair(new QueuePairAttributes().completionQueue(cqD));
                qpC.connect(d.id(), qpD.number());
                qpD.connect(c.id(), qpC.number());
                qpC.postSend(request.fetchAdd(mrD.key(), 0, 1).local(mrC.key(), 0, 8));
                qpC.postSend(request.append(queue.id(), queue.key()).local(mrC.key(), 0, 64));
                List<WcStatus> statuses = new ArrayList<>();
                int round = i;
                run(() -> {
                    cqC.poll(wc -> statuses.add(wc.status()), 16);
                    queue.poll((buffer, offset, length, qp, immediate, flags) -> records[0]++, 16);
                    d.engine(0).doWork();
                    return statuses.size() == 2 && records[0] == round;
                });
                assertThat(statuses).containsOnly(WcStatus.SUCCESS);
                qpC.close();
                qpD.close();
            }
            assertThat(mrD.buffer().getLong(0)).isEqualTo(50);
            assertThat(c.counter(NicCounter.DIRECT_OPERATIONS)).isPositive();
        }
    }

    @Test
    void receiverNotReadyIsWaitedFor() {
        qpA.postSend(request.send().local(mrA.key(), 0, 10).wrId(1));
        run(() -> a.counter(NicCounter.PACKETS_RECEIVED) > 0);
        qpB.postReceive(2, mrB.key(), 0, 10);
        run(() -> drain() >= 2);
        assertThat(completions).containsExactlyInAnyOrder("A SUCCESS SEND 1", "B SUCCESS RECEIVE 2");
    }

    @Test
    void oneSidedRequestsAreExecutedDirectly() {
        qpA.postSend(request.write(mrB.key(), 0).local(mrA.key(), 0, LENGTH).wrId(1));
        run(() -> drain() >= 1);
        assertSame(LENGTH);
        mrA.buffer().setMemory(0, LENGTH, (byte) 0);
        qpA.postSend(request.read(mrB.key(), 0).local(mrA.key(), 0, LENGTH).wrId(2));
        run(() -> drain() >= 2);
        assertSame(LENGTH);
        mrB.buffer().putLong(64, 5);
        qpA.postSend(request.fetchAdd(mrB.key(), 64, 3).local(mrA.key(), 0, 8).wrId(3));
        run(() -> drain() >= 3);
        assertThat(mrA.buffer().getLong(0)).isEqualTo(5);
        qpA.postSend(request.compareSwap(mrB.key(), 64, 8, 100)
                .local(mrA.key(), 8, 8)
                .wrId(4));
        run(() -> drain() >= 4);
        assertThat(mrA.buffer().getLong(8)).isEqualTo(8);
        assertThat(mrB.buffer().getLong(64)).isEqualTo(100);
        assertThat(completions)
                .containsExactly(
                        "A SUCCESS WRITE 1", "A SUCCESS READ 2", "A SUCCESS FETCH_ADD 3", "A SUCCESS COMPARE_SWAP 4");
        assertThat(a.counter(NicCounter.DIRECT_OPERATIONS)).isEqualTo(4);
    }

    @Test
    void appendsOfAnySizeArriveInOrder() {
        AppendQueue queue = pdB.createAppendQueue(new AppendQueueAttributes().maxMessage(8 << 20));
        int[] sizes = {0, 1, 32, 200_000, 900_000, 5};
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            qpA.postSend(request.append(queue.id(), queue.key())
                    .local(mrA.key(), 0, sizes[i])
                    .wrId(i));
        }
        run(() -> {
            drain();
            queue.poll(
                    (buffer, offset, length, qp, immediate, flags) -> {
                        seen.add(length);
                        assertThat(qp).isEqualTo(qpB.number());
                        for (int i = 0; i < length; i++) {
                            if (buffer.getByte(offset + i) != mrA.buffer().getByte(i)) {
                                throw new AssertionError("byte " + i + " of " + length);
                            }
                        }
                    },
                    10);
            return seen.size() == sizes.length && completions.size() == sizes.length;
        });
        assertThat(seen).containsExactly(0, 1, 32, 200_000, 900_000, 5);
    }

    @Test
    void inlineAppendsCostNoRegion() {
        AppendQueue queue = pdB.createAppendQueue(new AppendQueueAttributes());
        UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
        message.putLong(0, 4711);
        qpA.postSend(request.append(queue.id(), queue.key()).inline(message, 0, 32));
        long[] value = new long[1];
        run(() -> queue.poll((buffer, offset, length, qp, imm, flags) -> value[0] = buffer.getLong(offset), 1) == 1);
        assertThat(value[0]).isEqualTo(4711);
    }

    @Test
    void aListOfAppendsArrivesInOrderWhateverSharesAClaim() {
        AppendQueue[] queues = {
            pdB.createAppendQueue(new AppendQueueAttributes()), pdB.createAppendQueue(new AppendQueueAttributes())
        };
        UnsafeBuffer inline = new UnsafeBuffer(new byte[64]);
        SplittableRandom random = new SplittableRandom(4);
        List<List<Integer>> expected = List.of(new ArrayList<>(), new ArrayList<>());
        List<List<Integer>> seen = List.of(new ArrayList<>(), new ArrayList<>());
        int number = 0;
        for (int batch = 1; batch <= 64; batch++) {
            qpA.start();
            for (int i = 0; i < batch; i++, number++) {
                int queue = random.nextInt(8) == 0 ? 1 : 0;
                request.appendImmediate(queues[queue].id(), queues[queue].key(), number)
                        .wrId(number);
                if (random.nextBoolean()) {
                    int length = random.nextInt(65);
                    inline.setMemory(0, length, (byte) number);
                    request.inline(inline, 0, length);
                } else {
                    int length = random.nextInt(20) == 0 ? random.nextInt(6000) : random.nextInt(300);
                    int at = i * 8192;
                    mrA.buffer().setMemory(at, length, (byte) number);
                    request.local(mrA.key(), at, length / 2).local(mrA.key(), at + length / 2, length - length / 2);
                }
                expected.get(queue).add(number);
                assertThat(qpA.post(request)).isEqualTo(PostResult.POSTED);
            }
            assertThat(qpA.complete()).isEqualTo(PostResult.POSTED);
            int posted = number;
            run(() -> {
                for (int q = 0; q < 2; q++) {
                    List<Integer> came = seen.get(q);
                    queues[q].poll(
                            (buffer, offset, length, qp, immediate, flags) -> {
                                came.add(immediate);
                                for (int j = 0; j < length; j++) {
                                    assertThat(buffer.getByte(offset + j)).isEqualTo((byte) immediate);
                                }
                            },
                            100);
                }
                return drain() == posted && seen.get(0).size() + seen.get(1).size() == posted;
            });
        }
        assertThat(seen).isEqualTo(expected);
        for (int i = 0; i < number; i++) {
            assertThat(completions.get(i)).isEqualTo("A SUCCESS APPEND " + i);
        }
        assertThat(a.counter(NicCounter.DIRECT_OPERATIONS)).isEqualTo(number);
    }

    @Test
    void anAppendOfAListThatCannotBeDoneFailsInItsTurn() {
        AppendQueue queue = pdB.createAppendQueue(new AppendQueueAttributes());
        List<SendRequest> list = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int key = i == 3 ? mrA.key() ^ 0x5555 : mrA.key();
            list.add(new SendRequest()
                    .append(queue.id(), queue.key())
                    .local(key, 0, 100)
                    .wrId(i));
        }
        assertThat(qpA.postSend(list)).isEqualTo(5);
        run(() -> drain() == 5);
        assertThat(completions)
                .containsExactly(
                        "A SUCCESS APPEND 0",
                        "A SUCCESS APPEND 1",
                        "A SUCCESS APPEND 2",
                        "A LOC_PROT_ERR - 3",
                        "A WR_FLUSH_ERR - 4");
        assertThat(queue.poll((buffer, offset, length, qp, immediate, flags) -> {}, 10))
                .isEqualTo(3);
    }

    @Test
    void aSmallRequestIsDoneWhenItIsPosted() {
        AppendQueue queue = pdB.createAppendQueue(new AppendQueueAttributes());
        run(() ->
                qpA.state() == QpState.RTS && a.engine(0).doWork() + b.engine(0).doWork() == 0);
        UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
        message.putLong(0, 4711);
        qpA.postSend(
                request.append(queue.id(), queue.key()).inline(message, 0, 32).wrId(1));
        qpA.postSend(request.fetchAdd(mrB.key(), 64, 3).local(mrA.key(), 0, 8).wrId(2));
        qpA.postSend(request.write(mrB.key(), 128).inline(message, 0, 8).wrId(3));
        qpA.postSend(request.read(mrB.key(), 128).local(mrA.key(), 8, 8).wrId(4).signaled(false));
        assertThat(qpA.outstanding()).as("nothing was queued").isZero();
        assertThat(mrB.buffer().getLong(64)).isEqualTo(3);
        assertThat(mrA.buffer().getLong(8)).isEqualTo(4711);
        assertThat(queue.isEmpty()).isFalse();
        cqA.poll(c -> note("A ", c), 16);
        assertThat(completions).containsExactly("A SUCCESS APPEND 1", "A SUCCESS FETCH_ADD 2", "A SUCCESS WRITE 3");
    }

    @Test
    void aSmallRequestWaitsForThoseBeforeIt() {
        AppendQueue queue = pdB.createAppendQueue(new AppendQueueAttributes());
        qpA.postSend(request.send().local(mrA.key(), 0, 10).wrId(1)); // nothing to receive it yet
        qpA.postSend(
                request.append(queue.id(), queue.key()).local(mrA.key(), 0, 10).wrId(2));
        qpA.postSend(request.fetchAdd(mrB.key(), 64, 3).local(mrA.key(), 0, 8).wrId(3));
        run(() -> a.counter(NicCounter.PACKETS_RECEIVED) > 0);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(qpA.outstanding()).isEqualTo(3);
        qpB.postReceive(9, mrB.key(), 0, 10);
        run(() -> drain() == 4);
        assertThat(completions.stream().filter(c -> c.startsWith("A")))
                .containsExactly("A SUCCESS SEND 1", "A SUCCESS APPEND 2", "A SUCCESS FETCH_ADD 3");
        assertThat(queue.isEmpty()).isFalse();
    }

    @Test
    void aWrongKeyIsTheResponders() {
        qpA.postSend(request.write(mrB.key() ^ 0x5555, 0).local(mrA.key(), 0, 8).wrId(1));
        qpA.postSend(request.send().local(mrA.key(), 0, 8).wrId(2));
        run(() -> drain() >= 2);
        assertThat(completions).containsExactly("A REM_ACCESS_ERR - 1", "A WR_FLUSH_ERR - 2");
        assertThat(qpA.state()).isEqualTo(QpState.ERR);
        assertThat(qpB.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aPeerThatClosesEndsWorkInErrors() {
        qpA.postSend(request.send().local(mrA.key(), 0, 8).wrId(1)); // nothing to receive it
        run(() -> a.counter(NicCounter.PACKETS_RECEIVED) > 0);
        b.close();
        run(() -> drain() >= 1);
        assertThat(completions).containsExactly("A RETRY_EXC_ERR - 1");
    }

    private void assertSame(int length) {
        for (int i = 0; i + 8 <= length; i += 8) {
            assertThat(mrB.buffer().getLong(i)).isEqualTo(i * 0x9E3779B97F4A7C15L);
        }
    }

    private int drain() {
        cqA.poll(c -> note("A ", c), 16);
        if (!cqB.isClosed()) {
            cqB.poll(c -> note("B ", c), 16);
        }
        return completions.size();
    }

    private void note(String side, io.verbena.nic.Completion c) {
        completions.add(
                side + c.status() + (c.status() == WcStatus.SUCCESS ? " " + c.opcode() : " -") + " " + c.wrId());
    }

    private void run(BooleanSupplier done) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!done.getAsBoolean()) {
            a.engine(0).doWork();
            b.engine(0).doWork();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not done in 10 s; completions " + completions);
            }
        }
    }
}
