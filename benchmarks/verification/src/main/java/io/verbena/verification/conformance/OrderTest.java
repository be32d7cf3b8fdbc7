package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QueuePair;
import io.verbena.nic.ReceiveRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcStatus;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;

/** In which order bytes and completions come, and how long a message may be. */
final class OrderTest extends ConformanceTest {
    @Proves(Row.ASCENDING_BYTES)
    @Test
    void eachPartOfAWriteComesBehindThoseBeforeIt() {
        int length = 100_000;
        a.region.buffer().setMemory(0, length, (byte) 1);
        p.toB.pace(MICRO);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, length));
        AtomicBuffer memory = b.region.buffer();
        int[] seen = {0};
        p.until(() -> {
            int end = seen[0];
            while (end < length && memory.getByte(end) == 1) {
                end++;
            }
            seen[0] = end;
            int next = end;
            while (next < length && memory.getByte(next) == 0) {
                next++;
            }
            assertThat(next).as("a byte is here before byte %d", end).isEqualTo(length);
            return end == length;
        });
        p.untilSent(1);
    }

    /** A reader that sees the last byte sees all: another thread, without any other synchronisation. */
    @Proves(Row.ASCENDING_BYTES)
    @Test
    void whoSeesTheLastByteSeesAll() throws InterruptedException {
        int length = 3_333;
        AtomicBuffer memory = b.region.buffer();
        AtomicReference<String> wrong = new AtomicReference<>();
        int rounds = 60;
        Thread reader = new Thread(() -> {
            for (int round = 1; round <= rounds; round++) {
                while (memory.getByteVolatile(length - 1) != round) {
                    if (Thread.interrupted()) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                for (int i = 0; i < length; i++) {
                    if (memory.getByte(i) != round) {
                        wrong.compareAndSet(null, "round " + round + ", byte " + i + " is " + memory.getByte(i));
                    }
                }
                memory.putLongOrdered(64 * 1024, round); // the next may come
            }
        });
        reader.start();
        try {
            for (int round = 1; round <= rounds; round++) {
                a.region.buffer().setMemory(0, length, (byte) round);
                a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, length));
                p.untilSent(round);
                long read = round;
                long deadline = System.nanoTime() + 20_000 * MILLI;
                while (memory.getLongVolatile(64 * 1024) != read) {
                    assertThat(System.nanoTime()).as("within 20 s").isLessThan(deadline);
                    Thread.onSpinWait();
                }
            }
        } finally {
            reader.interrupt();
            reader.join();
        }
        assertThat(wrong.get()).isNull();
    }

    @Proves(Row.RECEIVE_ORDER)
    @Test
    void receivesAreTakenInOrderWhateverTheMessagesAre() {
        for (int i = 0; i < 30; i++) {
            b.qp.postReceive(i, b.key(), 4_000L * i, 4_000);
        }
        for (int i = 0; i < 30; i++) {
            if (i % 3 == 0) {
                a.request.writeImmediate(b.key(), 200_000, i).local(a.key(), 0, 10);
            } else {
                a.request.sendImmediate(i).local(a.key(), 0, i % 3 == 1 ? 0 : 3_333);
            }
            a.qp.post(a.request);
        }
        a.qp.doorbell();
        p.until(() -> b.receives.size() == 30);
        for (int i = 0; i < 30; i++) {
            assertThat(b.receives.get(i).wrId()).isEqualTo(i);
            assertThat(b.receives.get(i).immediate()).isEqualTo(i);
        }
    }

    @Proves(Row.MAX_MESSAGE)
    @Test
    void theLargestMessage() {
        needsPackets();
        int entry = 1 << 26; // 32 times the same 64 MiB
        MemoryRegion source = a.pd.allocate(entry, Access.LOCAL_WRITE);
        MemoryRegion target = b.pd.allocate(entry, Access.LOCAL_WRITE);
        source.buffer().putLong(entry - 9, 0x1234_5678_9ABC_DEF0L);
        QueuePair from = a.pd.createQueuePair(a.attributes().maxSge(32));
        QueuePair to = b.pd.createQueuePair(b.attributes().maxSge(32));
        p.connect(from, to, attributes().pathMtu(8192).timeout(20));
        ReceiveRequest receive = new ReceiveRequest().wrId(9);
        a.request.send().wrId(1);
        for (int i = 0; i < 32; i++) {
            receive.local(target.key(), 0, entry);
            a.request.local(source.key(), 0, entry);
        }
        refused(() -> from.postSend(a.request), 1L << 31, Integer.MAX_VALUE);
        refused(() -> to.postReceive(receive), 1L << 31, Integer.MAX_VALUE);
        receive.clear().wrId(9);
        a.request.send().wrId(1);
        for (int i = 0; i < 32; i++) {
            int length = i < 31 ? entry : entry - 1;
            receive.local(target.key(), 0, length);
            a.request.local(source.key(), 0, length);
        }
        to.postReceive(receive);
        from.postSend(a.request);
        p.untilSent(1);
        p.settle();
        assertThat(a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(a.sends.get(0).byteLength()).isEqualTo(Integer.MAX_VALUE);
        assertThat(b.receives).extracting(Wc::byteLength).containsExactly(Integer.MAX_VALUE);
        assertThat(target.buffer().getLong(entry - 9)).isEqualTo(0x1234_5678_9ABC_DEF0L);
    }
}
