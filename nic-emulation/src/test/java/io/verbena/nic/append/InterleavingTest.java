package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.QPS;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.sim.SteppedMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Direct initiators, the owner's responder, consumers and the allocator, switched at every access to shared memory by a
 * seed; initiators die and stall anywhere. What completions said is held against what the consumer saw.
 */
@Timeout(180)
class InterleavingTest {
    private static final long TIMEOUT = 100_000;
    private static final int INITIATORS = 3;

    /** What became of a message, as its sender knows it. */
    private enum Fate {
        IN_FLIGHT,
        DONE,
        TAKEN_AWAY
    }

    private static final class Run {
        final Random random;
        final Interleaver interleaver;
        final DirectMemoryProvider memory = new DirectMemoryProvider();
        final ControlBlock control;
        final TailPointerTable queues;
        final ChunkAllocator allocator;
        final AppendQueue queue;
        final boolean shares;
        final Map<Long, Fate> fates = new HashMap<>();
        final List<Long> seen = new ArrayList<>();
        final ArrayDeque<Integer> dead = new ArrayDeque<>();
        long now = 1;
        int sending;
        int killed;
        int takenAway;
        int holds;
        int packets;
        boolean packetDue;
        boolean several;
        final List<AppendRecord> held = new ArrayList<>();

        Run(long seed) {
            random = new Random(~seed);
            interleaver = new Interleaver(seed, 3_000_000);
            MemoryProvider stepped = SteppedMemory.owner(memory, interleaver::step);
            control = ControlBlock.create(stepped, 1, new ControlLimits(2, 16, QPS, 2, 8));
            for (int qp = 0; qp < QPS; qp++) {
                control.setQpWord(qp, 3);
            }
            shares = seed % 3 != 0;
            long[] key = new long[1];
            queues = new TailPointerTable("test", control, stepped, shares ? CHUNK : 0, () -> now, () -> ++key[0]);
            allocator = new ChunkAllocator(queues);
            AppendQueueAttributes attributes = new AppendQueueAttributes()
                    .chunkLength(CHUNK)
                    .maxMessage(3 * CHUNK)
                    .holeTimeoutNanos(TIMEOUT)
                    .surplusNanos(shares ? TIMEOUT : 20 * TIMEOUT);
            queue = queues.create(shares ? attributes : attributes.reserveChunks(1 + random.nextInt(2)), 1, 0);
        }

        void initiator(int sender, double killProbability) {
            sending++;
            int messages = 4 + random.nextInt(30);
            Random own = new Random(random.nextLong());
            interleaver.actor("initiator-" + sender, killProbability, 0.02, () -> {
                boolean[] finished = new boolean[1];
                try {
                    PeerMemory peer = SteppedMemory.peer(memory, interleaver::step);
                    Appender appender = new Appender(ControlBlock.map(peer.control()), peer);
                    for (int number = 0; number < messages; number++) {
                        send(appender, sender, number, own);
                    }
                    finished[0] = true;
                } finally {
                    sending--;
                    if (!finished[0]) {
                        killed++;
                        dead.add(sender);
                    }
                }
            });
        }

        private void send(Appender appender, int sender, int number, Random own) {
            int length = own.nextInt(4) == 0 ? own.nextInt(CHUNK / 4 + 1) : own.nextInt(200);
            int status;
            while ((status = AppendFixture.claim(appender, queue, length, sender)) == Appender.RNR
                    || status == Appender.NOT_ANNOUNCED) {
                packetDue |= status == Appender.NOT_ANNOUNCED;
                interleaver.step();
            }
            assertThat(status).isEqualTo(Appender.OK);
            long id = (long) sender << 32 | number;
            fates.put(id, Fate.IN_FLIGHT);
            if (own.nextInt(10) == 0) {
                fates.put(id, Fate.TAKEN_AWAY);
                AppendFixture.abort(appender, length);
                return;
            }
            write(appender.roomBuffer(), AppendFixture.payload(appender), length, id);
            boolean done = AppendFixture.commit(appender, length, sender, number);
            fates.put(id, done ? Fate.DONE : Fate.TAKEN_AWAY);
            takenAway += done ? 0 : 1;
        }

        private static void write(MutableDirectBuffer buffer, int offset, int length, long id) {
            buffer.setMemory(offset, length, (byte) id);
            if (length >= 16) {
                buffer.putLong(offset, id);
                buffer.putLong(offset + length - 8, id);
            }
        }

        void responder() {
            sending++;
            int messages = 4 + random.nextInt(20);
            Random own = new Random(random.nextLong());
            interleaver.actor("responder", 0, 0.005, () -> {
                Appender appender = queues.appender(1);
                for (int number = 0; number < messages; number++) {
                    long id = number;
                    if (own.nextInt(5) == 0) {
                        sendLarge(appender, number, own);
                        continue;
                    }
                    int length = own.nextInt(300);
                    while (AppendFixture.claim(appender, queue, length, Appender.OWNER) == Appender.RNR) {
                        interleaver.step();
                    }
                    if (own.nextInt(10) == 0) {
                        fates.put(id, Fate.TAKEN_AWAY);
                        AppendFixture.abort(appender, length);
                        continue;
                    }
                    write(appender.roomBuffer(), AppendFixture.payload(appender), length, id);
                    fates.put(id, Fate.DONE);
                    assertThat(AppendFixture.commit(appender, length, 0, number))
                            .isTrue();
                }
                sending--;
            });
        }

        /**
         * Takes what direct initiators send as packets because the next chunk is not there: appends that come to
         * nothing.
         */
        void engine() {
            interleaver.actor("engine", 0, 0.005, () -> {
                Appender appender = queues.appender(0);
                while (sending > 0) {
                    if (packetDue && AppendFixture.claim(appender, queue, CHUNK / 4, Appender.OWNER) == Appender.OK) {
                        AppendFixture.abort(appender, CHUNK / 4);
                        packetDue = false;
                        packets++;
                    }
                    interleaver.step();
                }
            });
        }

        private void sendLarge(Appender appender, int number, Random own) {
            int length = own.nextBoolean() ? own.nextInt(CHUNK / 4) : CHUNK / 4 + own.nextInt(2 * CHUNK);
            while (appender.large().claim(queue.id(), queue.key(), queue.pd(), length, 0, 0) == Appender.RNR) {
                interleaver.step();
            }
            long claim = appender.large().claimed();
            if (own.nextInt(4) == 0) {
                fates.put((long) number, Fate.TAKEN_AWAY);
                appender.large().abort(claim);
                return;
            }
            write(appender.large().buffer(), 0, length, number);
            fates.put((long) number, Fate.DONE);
            while (appender.large().commit(claim, 0, number, true) == Appender.RNR) {
                interleaver.step();
            }
        }

        /** One consumer, or two; now and then a record stays, and another actor releases it. */
        void consumers(int count) {
            AppendConsumer[] several = new AppendConsumer[count];
            for (int c = 0; c < count && count > 1; c++) {
                several[c] = queue.consumer();
            }
            for (int c = 0; c < count; c++) {
                AppendConsumer self = several[c];
                int[] last = new int[INITIATORS + 1];
                Arrays.fill(last, -1);
                AppendHandler handler = (buffer, offset, length, qpNumber, immediate, flags) -> {
                    assertThat(immediate).as("order of sender " + qpNumber).isGreaterThan(last[qpNumber]);
                    last[qpNumber] = immediate;
                    seen(buffer, offset, length, qpNumber, immediate, flags);
                    if (random.nextInt(8) == 0) {
                        AppendRecord record = new AppendRecord();
                        if (self == null) {
                            queue.hold(record);
                        } else {
                            self.hold(record);
                        }
                        held.add(record);
                        holds++;
                    }
                    if (self != null) {
                        interleaver.step(); // outside of the flag
                    }
                };
                interleaver.actor("consumer", 0, 0.001, () -> {
                    while (sending > 0) {
                        int limit = 1 + random.nextInt(10);
                        if (self == null) {
                            queue.poll(handler, limit);
                        } else {
                            self.poll(handler, limit);
                        }
                        queue.isEmpty();
                        interleaver.step();
                    }
                });
            }
            interleaver.actor("releaser", 0, 0.01, () -> {
                while (sending > 0) {
                    if (!held.isEmpty() && (held.size() > 20 || random.nextInt(4) == 0)) {
                        release(held.remove(random.nextInt(held.size())));
                    }
                    interleaver.step();
                }
            });
            interleaver.actor("allocator", 0, 0.001, () -> {
                while (sending > 0) {
                    now += random.nextInt((int) TIMEOUT);
                    allocator.doWork();
                    if (!dead.isEmpty() && random.nextInt(20) == 0) {
                        AppendFixture.abandon(queues, dead.remove(), true);
                    }
                    interleaver.step();
                }
            });
        }

        private void release(AppendRecord record) {
            long id = (long) record.qpNumber() << 32 | record.immediate();
            if (record.length() >= 16) {
                assertThat(record.buffer().getLong(record.offset())).isEqualTo(id);
                assertThat(record.buffer().getLong(record.offset() + record.length() - 8))
                        .isEqualTo(id);
            }
            record.release();
        }

        private void poll(int limit) {
            if (several) {
                queue.consumer().poll(this::seen, limit);
            } else {
                queue.poll(this::seen, limit);
            }
        }

        private void seen(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
            long id = (long) qpNumber << 32 | immediate;
            if (length >= 16) {
                assertThat(buffer.getLong(offset)).isEqualTo(id);
                assertThat(buffer.getLong(offset + length - 8)).isEqualTo(id);
                assertThat(buffer.getByte(offset + 8 * Math.min(1, (length - 16) / 8)))
                        .isEqualTo((byte) id);
            }
            seen.add(id);
        }

        void finish() {
            while (!dead.isEmpty()) {
                AppendFixture.abandon(queues, dead.remove(), true);
            }
            for (int i = 0; i < 50; i++) {
                now += TIMEOUT;
                allocator.doWork();
                poll(1000);
            }
            while (!held.isEmpty()) {
                release(held.remove(held.size() - 1));
            }
            for (int i = 0; i < 10; i++) {
                allocator.doWork();
            }
        }

        void check() {
            assertThat(new HashSet<>(seen)).as("each once").hasSameSizeAs(seen);
            for (long id : seen) {
                assertThat(fates.get(id)).as("message %x", id).isIn(Fate.DONE, Fate.IN_FLIGHT);
            }
            fates.forEach((id, fate) -> {
                if (fate == Fate.DONE) {
                    assertThat(seen).as("message %x was completed", id).contains(id);
                }
            });
            assertThat(queue.depth()).isZero();
            assertThat(queue.query().setAside()).isZero();
            assertThat(queue.query().heldChunks()).isZero();
            assertThat(queue.query().heldRecords()).isZero();
            assertThat(queue.query().heldBytes()).isZero();
            for (int slot = 0; slot < control.slotCount(); slot++) {
                assertThat(control.isSlotIdle(slot)).as("slot " + slot).isTrue();
            }
            // The ring goes round once more: every chunk that comes back is clean.
            Appender appender = queues.appender(0);
            for (int i = 0; i < 60; i++) {
                assertThat(AppendFixture.claim(appender, queue, CHUNK / 4, Appender.OWNER))
                        .isEqualTo(Appender.OK);
                int at = AppendFixture.payload(appender);
                for (int j = 0; j < CHUNK / 4; j += 8) {
                    if (appender.roomBuffer().getLong(at + j) != 0) {
                        throw new AssertionError("dirt at " + j);
                    }
                }
                write(appender.roomBuffer(), at, CHUNK / 4, i);
                AppendFixture.commit(appender, CHUNK / 4, 0, i);
                int before = seen.size();
                poll(2);
                assertThat(seen).hasSize(before + 1);
                allocator.doWork();
            }
        }
    }

    @Test
    void completionsTellTheTruthUnderAnyInterleaving() {
        int runs = Integer.getInteger("verbena.test.interleavings", 400);
        long first = Long.getLong("verbena.test.seed", 1);
        long killed = 0;
        long takenAway = 0;
        long holes = 0;
        long holds = 0;
        long packets = 0;
        long taken = 0;
        long seen = 0;
        for (long seed = first; seed < first + runs; seed++) {
            Run run = new Run(seed);
            try {
                for (int sender = 1; sender <= INITIATORS; sender++) {
                    run.initiator(sender, seed % 3 == 0 ? 0 : 0.003);
                }
                run.responder();
                run.engine();
                run.several = seed % 2 == 0;
                run.consumers(run.several ? 2 : 1);
                run.interleaver.run();
                run.finish();
                run.check();
            } catch (Throwable e) {
                throw new AssertionError("replay with -Dverbena.test.seed=" + seed, e);
            }
            killed += run.killed;
            takenAway += run.takenAway;
            holds += run.holds;
            packets += run.packets;
            taken += run.queues.querySharedReserve().taken();
            holes += run.queue.query().holes();
            seen += run.seen.size();
        }
        // The faults did happen.
        assertThat(seen).isGreaterThan(runs * 10L);
        assertThat(holds).isGreaterThan(runs);
        assertThat(packets).isGreaterThan(runs / 20);
        assertThat(taken).isGreaterThan(runs);
        assertThat(killed).isGreaterThan(runs / 10);
        assertThat(holes).isGreaterThan(runs / 10);
        assertThat(takenAway).isGreaterThan(runs / 20);
    }
}
