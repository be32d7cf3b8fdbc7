package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A link that breaks while READs are answered. What the peer has not sent of an answer then comes by the next link,
 * before that of the READ that is sent again: bytes that do not follow those that are there are not taken, and a READ
 * is not asked for once more because of them.
 */
@Timeout(180)
class NextLinkReadTest {
    private static final long A = 0xA0;
    private static final long B = 0xB0;
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final int LENGTH = 60_000;
    private static final int READS = 4;
    private static final int COUNTER = READS * LENGTH; // where a word is that is added to

    private final List<Long> completed = new ArrayList<>();
    private final List<WcStatus> statuses = new ArrayList<>();
    private int requests; // READs that have gone by the new link

    private static IntStream seeds() {
        return IntStream.range(0, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void readsHaveTheirBytesWhateverIsAnsweredTwice(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Simulation simulation = new Simulation(seed);
        SimFabric fabric = new SimFabric(simulation);
        SimNode a = new SimNode(simulation, fabric, "a", A);
        SimNode b = new SimNode(simulation, fabric, "b", B);
        LinkProfile profile =
                new LinkProfile().delay(5 * MICRO).rate(10_000_000_000L).window(8 << 10);
        SimConnection link =
                fabric.connect(a.nic().engine(0).endpoint(), b.nic().engine(0).endpoint(), profile);
        simulation.runFor(0);
        ProtectionDomain here = a.nic().allocateProtectionDomain();
        ProtectionDomain there = b.nic().allocateProtectionDomain();
        MemoryRegion target = here.allocate(COUNTER + 64, Access.ALL);
        MemoryRegion source = there.allocate(COUNTER + 64, Access.ALL);
        for (int i = 0; i < COUNTER; i += 8) {
            source.buffer().putLong(i, random.nextLong());
        }
        CompletionQueue queue = a.nic().createCompletionQueue(64);
        QueuePair from = here.createQueuePair(new QueuePairAttributes().completionQueue(queue));
        QueuePair to = there.createQueuePair(
                new QueuePairAttributes().completionQueue(b.nic().createCompletionQueue(64)));
        ConnectAttributes attributes =
                new ConnectAttributes().pathMtu(1024).timeout(18).maxRdAtomic(1 + random.nextInt(8));
        from.connect(B, to.number(), attributes);
        to.connect(A, from.number(), attributes);
        simulation.add(
                "a.app",
                () -> queue.poll(
                        c -> {
                            completed.add(c.wrId());
                            statuses.add(c.status());
                            if (c.wrId() % 3 == 1) { // a READ, whose bytes are there now and not only in the end
                                int k = (int) c.wrId() / 3;
                                assertThat(bytes(target, k)).isEqualTo(bytes(source, k));
                            }
                        },
                        64));
        SendRequest request = new SendRequest();
        for (int i = 0; i < READS; i++) {
            from.postSend(request.write(source.key(), COUNTER + 8)
                    .local(target.key(), 0, 8)
                    .wrId(3L * i));
            from.postSend(request.read(source.key(), (long) i * LENGTH)
                    .local(target.key(), (long) i * LENGTH, LENGTH)
                    .wrId(3L * i + 1));
            from.postSend(request.fetchAdd(source.key(), COUNTER, 1)
                    .local(target.key(), COUNTER, 8)
                    .wrId(3L * i + 2));
        }
        simulation.runFor(random.nextLong(200 * MICRO));
        link.breakLink();
        simulation.runFor(random.nextLong(100 * MICRO));
        link.reconnect();
        int missing = READS - answered();
        link.a().tamper((buffer, offset, bytes) -> {
            requests += BthFlyweight.opcode(buffer, offset) == Opcode.READ_REQUEST.code() ? 1 : 0;
            return Tamper.Verdict.PASS;
        });
        simulation.runUntil(() -> statuses.size() == 3 * READS, 500 * MILLI);
        simulation.runFor(5 * MILLI);
        assertThat(statuses).hasSize(3 * READS).containsOnly(WcStatus.SUCCESS);
        assertThat(completed)
                .isEqualTo(IntStream.range(0, 3 * READS).mapToObj(i -> (long) i).toList());
        assertThat(source.buffer().getLong(COUNTER)).isEqualTo(READS);
        assertThat(requests).isLessThanOrEqualTo(missing);
        assertThat(from.state()).isEqualTo(QpState.RTS);
    }

    private int answered() {
        return (int) completed.stream().filter(id -> id % 3 == 1).count();
    }

    private static byte[] bytes(MemoryRegion region, int read) {
        byte[] bytes = new byte[LENGTH];
        region.buffer().getBytes(read * LENGTH, bytes);
        return bytes;
    }
}
