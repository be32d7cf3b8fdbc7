package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlDescriptor;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Somebody has written what he likes into the tables that a NIC shows its peers. What does not hold there is not judged
 * by it: the request goes as a packet, and is answered.
 */
@Timeout(180)
class CorruptTablesTest {
    private static final int LENGTH = 4096;
    private static final long[] VALUES = {
        0,
        1,
        -1,
        7,
        8,
        0xFF,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        0x5555_5555_5555_5555L
    };

    private final Nic initiator = open();
    private final Nic target = open();
    private final Nic neighbour = open();
    private final CompletionQueue completions = initiator.createCompletionQueue(64);
    private final MemoryRegion local;
    private final Pair attacked;
    private final Pair sound;
    private final SendRequest request = new SendRequest();

    CorruptTablesTest() {
        ProtectionDomain pd = initiator.allocateProtectionDomain();
        local = pd.allocate(LENGTH, Access.ALL);
        attacked = new Pair(pd, target);
        sound = new Pair(pd, neighbour);
    }

    private static Nic open() {
        return Nic.open(new NicContext()
                .mode(EngineMode.INVOKER)
                .maxQueuePairs(16)
                .maxMemoryRegions(16)
                .maxAppendQueues(1));
    }

    /** A queue pair of the initiator's, connected to one of another NIC, and a region there. */
    private final class Pair {
        final QueuePair here;
        final QueuePair there;
        final MemoryRegion region;

        Pair(ProtectionDomain pd, Nic nic) {
            LocalFabric.connect(initiator.engine(0).endpoint(), nic.engine(0).endpoint());
            ProtectionDomain pdThere = nic.allocateProtectionDomain();
            region = pdThere.allocate(LENGTH, Access.ALL);
            here = pd.createQueuePair(new QueuePairAttributes().completionQueue(completions));
            there = pdThere.createQueuePair(new QueuePairAttributes().completionQueue(nic.createCompletionQueue(64)));
            here.connect(nic.id(), there.number());
            there.connect(initiator.id(), here.number());
        }
    }

    @AfterEach
    void close() {
        initiator.close();
        target.close();
        neighbour.close();
    }

    private List<WcStatus> run(Pair pair) {
        List<WcStatus> statuses = new ArrayList<>();
        pair.here.postSend(request.write(pair.region.key(), 0).local(local.key(), 0, 256));
        pair.here.postSend(request.read(pair.region.key(), 512).local(local.key(), 512, 256));
        pair.here.postSend(request.fetchAdd(pair.region.key(), 1024, 1).local(local.key(), 1024, 8));
        for (int i = 0; i < 1000 && statuses.size() < 3; i++) {
            initiator.engine(0).doWork();
            target.engine(0).doWork();
            neighbour.engine(0).doWork();
            completions.poll(wc -> statuses.add(wc.status()), 16);
        }
        return statuses;
    }

    private void expectContained(AtomicBuffer block, int offset, int bytes) {
        long before = bytes == 8 ? block.getLong(offset) : block.getInt(offset);
        for (long value : VALUES) {
            put(block, offset, bytes, value);
            List<WcStatus> statuses = run(attacked);
            List<WcStatus> others = run(sound);
            put(block, offset, bytes, before);
            assertThat(statuses)
                    .as("%x at %d", value, offset)
                    .containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS);
            assertThat(others)
                    .as("neighbour, %x at %d", value, offset)
                    .containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS);
        }
        assertThat(initiator.counter(NicCounter.QUEUE_PAIRS_BROKEN)).isZero();
        for (Nic nic : new Nic[] {initiator, target, neighbour}) {
            for (AsyncEvent event = nic.pollAsyncEvent(); event != null; event = nic.pollAsyncEvent()) {
                assertThat(event.type()).isIn(AsyncEventType.PORT_ACTIVE, AsyncEventType.COMM_EST);
                event.acknowledge();
            }
        }
    }

    private static void put(AtomicBuffer block, int offset, int bytes, long value) {
        if (bytes == Long.BYTES) {
            block.putLongVolatile(offset, value);
        } else {
            block.putIntVolatile(offset, (int) value);
        }
    }

    @Test
    void anyWordOfAKeysEntry() {
        AtomicBuffer block = target.engine(0).endpoint().memory().control();
        ControlBlock tables = ControlBlock.map(block);
        int entry = tables.keyOffset(attacked.region.key() & tables.limits().maxKeys() - 1);
        assertThat(block.getInt(entry)).isEqualTo(attacked.region.key());
        for (int field = 0; field < ControlDescriptor.KEY_SEGMENT_POSITION_OFFSET; field += Integer.BYTES) {
            expectContained(block, entry + field, Integer.BYTES);
        }
        expectContained(block, entry + ControlDescriptor.KEY_SEGMENT_POSITION_OFFSET, Long.BYTES);
        expectContained(block, entry + ControlDescriptor.KEY_LENGTH_OFFSET, Long.BYTES);
        assertThat(initiator.counter(NicCounter.DIRECT_OPERATIONS)).isPositive();
    }

    @Test
    void anyWordOfAQueuePair() {
        AtomicBuffer block = target.engine(0).endpoint().memory().control();
        ControlBlock tables = ControlBlock.map(block);
        long word = tables.qpWord(attacked.there.number());
        for (int state = 0; state < 8; state++) {
            tables.setQpWord(attacked.there.number(), (word & ~7L) | state);
            assertThat(run(attacked))
                    .as("state %d", state)
                    .containsOnly(WcStatus.SUCCESS)
                    .hasSize(3);
            assertThat(run(sound)).containsOnly(WcStatus.SUCCESS).hasSize(3);
        }
        for (long value : VALUES) {
            tables.setQpWord(attacked.there.number(), value);
            assertThat(run(attacked))
                    .as("word %x", value)
                    .containsOnly(WcStatus.SUCCESS)
                    .hasSize(3);
            assertThat(run(sound)).containsOnly(WcStatus.SUCCESS).hasSize(3);
        }
        assertThat(initiator.counter(NicCounter.QUEUE_PAIRS_BROKEN)).isZero();
    }
}
