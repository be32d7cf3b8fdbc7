package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.abort;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.claim;
import static io.verbena.nic.append.AppendFixture.commit;
import static io.verbena.nic.append.AppendFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.append.AppendFixture.Message;
import io.verbena.nic.memory.ControlDescriptor;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.port.MemoryExhaustedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class AppendQueueTest {
    private final AppendFixture nic = new AppendFixture();
    private final Collector collector = new Collector();

    /** Of a consumer that only polls what it has been told of: padding is no message, and does not fill the queue. */
    @Test
    void whatWasGivenUpIsLeftBehindByALook() {
        AppendQueue queue = nic.create(attributes());
        Appender appender = nic.peer();
        for (int i = 0; i < 10 * CHUNK / 200; i++) {
            assertThat(claim(appender, queue, 184, 3)).as("claim %d", i).isEqualTo(Appender.OK);
            assertThat(abort(appender, 184)).isTrue();
            assertThat(queue.isEmpty()).isTrue();
            assertThat(queue.depth()).isZero();
            nic.settle();
        }
        assertThat(append(appender, queue, 3, 1, 50, 3)).isEqualTo(Appender.OK);
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
    }

    /** The record that a handler has before it stays what it is, whatever the handler asks. */
    @Test
    void aLookWithinAHandlerMovesNothing() {
        AppendQueue queue = nic.create(attributes());
        Appender appender = nic.peer();
        AppendRecord held = new AppendRecord();
        for (int room = CHUNK - 8116; room >= 16; room -= Math.min(room, 8016)) {
            assertThat(append(appender, queue, 3, 0, Math.min(room, 8016) - 16, 3))
                    .isEqualTo(Appender.OK);
        }
        queue.poll(collector, 100);
        assertThat(append(appender, queue, 3, 1, 8000, 3)).isEqualTo(Appender.OK);
        assertThat(claim(appender, queue, 184, 3)).isEqualTo(Appender.OK); // in the next chunk, behind padding
        assertThat(abort(appender, 184)).isTrue();
        assertThat(append(appender, queue, 3, 2, 50, 3)).isEqualTo(Appender.OK);
        List<Boolean> looks = new ArrayList<>();
        assertThat(queue.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            looks.add(queue.isEmpty());
                            queue.hold(held);
                        },
                        1))
                .isEqualTo(1);
        assertThat(looks).containsExactly(false);
        assertThat(held.length()).isEqualTo(8000);
        held.release();
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.depth()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, -1})
    void messageArrivesAsSent(int slot) {
        AppendQueue queue = nic.create(attributes());
        Appender appender = slot < 0 ? nic.queues.appender(0) : nic.peer();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll(collector, 10)).isZero();

        assertThat(claim(appender, queue, 5, slot)).isEqualTo(Appender.OK);
        appender.roomBuffer().putStringWithoutLengthAscii(payload(appender), "hello");
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll(collector, 10)).isZero();
        assertThat(queue.depth()).isEqualTo(24);
        assertThat(commit(appender, 5, 9, 77)).isTrue();
        assertThat(queue.isEmpty()).isFalse();

        List<String> seen = new ArrayList<>();
        int polled = queue.poll(
                (buffer, offset, length, qp, immediate, flags) -> seen.add(
                        buffer.getStringWithoutLengthAscii(offset, length) + " " + qp + " " + immediate + " " + flags),
                10);
        assertThat(polled).isEqualTo(1);
        assertThat(seen).containsExactly("hello 9 77 " + RecordDescriptor.HAS_IMMEDIATE);
        assertThat(queue.depth()).isZero();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(nic.control.isSlotIdle(3)).isTrue();
        assertThat(nic.control.isSlotIdle(nic.control.ownerSlot(0))).isTrue();
        assertThat(queue.query().records()).isEqualTo(1);
        assertThat(queue.query().bytes()).isEqualTo(5);
    }

    @Test
    void thirtyTwoBytesTakeFortyEight() {
        AppendQueue queue = nic.create(attributes());
        append(nic.peer(), queue, 1, 1, 32, 1);
        assertThat(queue.depth()).isEqualTo(48);
    }

    @Test
    void withoutImmediateTheFlagIsClear() {
        AppendQueue queue = nic.create(attributes());
        Appender appender = nic.peer();
        claim(appender, queue, 0, 1);
        appender.commitRun(RecordDescriptor.committed(0, 0));
        List<Integer> flagsSeen = new ArrayList<>();
        queue.poll((buffer, offset, length, qp, immediate, flags) -> flagsSeen.add(length * 100 + flags), 1);
        assertThat(flagsSeen).containsExactly(0);
    }

    @Test
    void refusalsLeaveTheQueueUntouched() {
        AppendQueue queue = nic.create(attributes().maxMessage(100_000));
        Appender appender = nic.peer();
        int pd = queue.pd();
        assertThat(appender.claimRun(queue.id(), queue.key() ^ 1, pd, 8, 24, 0)).isEqualTo(Appender.BAD_KEY);
        assertThat(appender.claimRun(queue.id(), queue.key(), pd + 1, 8, 24, 0)).isEqualTo(Appender.BAD_KEY);
        assertThat(appender.claimRun(queue.id() + 1, queue.key(), pd, 8, 24, 0)).isEqualTo(Appender.NO_QUEUE);
        assertThat(appender.claimRun(-1, queue.key(), pd, 8, 24, 0)).isEqualTo(Appender.NO_QUEUE);
        assertThat(appender.claimRun(4, queue.key(), pd, 8, 24, 0)).isEqualTo(Appender.NO_QUEUE);
        assertThat(appender.claimRun(Integer.MAX_VALUE, 0, pd, 8, 24, 0)).isEqualTo(Appender.NO_QUEUE);
        assertThat(appender.claimRun(queue.id() + 1, 0, pd, 8, 24, 0)).isEqualTo(Appender.NO_QUEUE);
        assertThat(claim(appender, queue, 100_001, 0)).isEqualTo(Appender.TOO_LONG);
        assertThat(claim(appender, queue, 100_000, 0)).isEqualTo(Appender.LARGE_MESSAGE);
        assertThat(claim(appender, queue, CHUNK / 4, 0)).isEqualTo(Appender.OK);
        abort(appender, CHUNK / 4);
        LargeAppender large = nic.queues.appender(0).large();
        assertThat(large.claim(queue.id(), queue.key(), pd + 1, 8, 0, 0)).isEqualTo(Appender.BAD_KEY);
        assertThatThrownBy(appender::large).isInstanceOf(IllegalStateException.class);
        assertThat(nic.control.isSlotIdle(0)).isTrue();
        assertThat(queue.poll(collector, 10)).isZero();
        assertThat(queue.depth()).isZero();
        assertThat(large.openClaims()).isZero();
    }

    @Test
    void severalClaimsAreOpenAndEndInAnyOrder() {
        AppendQueue queue = nic.create(attributes());
        Appender[] senders = new Appender[AppendFixture.QPS];
        for (int i = 0; i < senders.length; i++) {
            senders[i] = i == 0 ? nic.queues.appender(0) : nic.peer();
            int slot = i == 0 ? Appender.OWNER : i;
            assertThat(claim(senders[i], queue, i, slot)).isEqualTo(Appender.OK);
        }
        for (int i = senders.length - 1; i >= 0; i--) {
            assertThat(queue.poll(collector, 100)).isZero();
            AppendFixture.fill(senders[i].roomBuffer(), payload(senders[i]), i, 2, i);
            assertThat(i % 5 == 3 ? abort(senders[i], i) : commit(senders[i], i, 2, i))
                    .isTrue();
        }
        assertThat(queue.poll(collector, 100)).isEqualTo(13);
        int last = -1;
        for (Message message : collector.messages) {
            assertThat(message.number()).isGreaterThan(last).isEqualTo(message.length());
            last = message.number();
        }
        assertThat(queue.query().paddingBytes()).isPositive();
    }

    @Test
    void aChunkNamedBySlotWhenDrainedIsReusedWithoutAnAllocator() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        Appender appender = nic.peer();
        AtomicBuffer table = nic.control.buffer();
        int slot = nic.control.slotOffset(nic.control.qpSlot(2));
        int tail = nic.control.queueOffset(queue.id()) + AppendQueueDescriptor.TAIL_OFFSET;
        // An initiator that was stopped just before its claim.
        table.putLong(slot + ControlDescriptor.SLOT_SUBJECT_OFFSET, table.getLong(tail));
        table.putLong(
                slot + ControlDescriptor.SLOT_WORD_OFFSET,
                AppendQueueDescriptor.slotWord(ControlDescriptor.SLOT_APPEND, queue.id(), 1016));
        int sent = 0;
        while (append(appender, queue, 1, sent, 1000, 1) == Appender.OK) {
            sent++;
            queue.poll(collector, 10);
        }
        assertThat(sent).isGreaterThan(100);
        for (int i = 0; i < 10_000; i++) {
            assertThat(queue.poll(collector, 10)).isZero();
        }
        assertThat(append(appender, queue, 1, sent, 1000, 1)).isEqualTo(Appender.RNR);
        table.putLong(slot + ControlDescriptor.SLOT_WORD_OFFSET, 0); // it goes on, and finds the tail elsewhere
        for (int i = 0; i < 10_000; i++) {
            assertThat(queue.poll(collector, 10)).isZero();
        }
        assertThat(append(appender, queue, 1, sent, 1000, 1)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
    }

    @Test
    void runsForeverOnItsReserveWithoutAnAllocator() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        Appender appender = nic.peer();
        long footprint = queue.query().footprint();
        assertThat(footprint).isEqualTo(2 * CHUNK);
        for (int i = 0; i < 20_000; i++) {
            assertThat(append(appender, queue, 1, i, i % 200, 1)).isEqualTo(Appender.OK);
            assertThat(queue.poll(collector, 10)).isEqualTo(1);
            assertThat(collector.messages.remove().number()).isEqualTo(i);
        }
        assertThat(queue.query().footprint()).isEqualTo(footprint);
        assertThat(queue.query().rnr()).isZero();
        assertThat(queue.query().allocations()).isEqualTo(2);
    }

    @Test
    void fullIsRnrAndDrainingMakesRoom() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        Appender appender = nic.peer();
        int sent = 0;
        int received = 0;
        for (int round = 0; round < 50; round++) {
            int status;
            while ((status = append(appender, queue, 1, sent, 1000 + round, 1)) == Appender.OK) {
                sent++;
            }
            assertThat(status).isEqualTo(Appender.RNR);
            assertThat(queue.query().rnr()).isEqualTo(round + 1);
            assertThat(nic.control.isSlotIdle(1)).isTrue();
            assertThat(sent - received).isBetween(CHUNK / 1100, 2 * CHUNK / 1000);
            while (queue.poll(collector, 7) > 0) {}
            while (!collector.messages.isEmpty()) {
                assertThat(collector.messages.remove().number()).isEqualTo(received++);
            }
            assertThat(received).isEqualTo(sent);
        }
    }

    @Test
    void allocatorGrowsTheQueueToItsLimitAndShrinksIt() {
        AppendQueue queue =
                nic.create(attributes().reserveChunks(2).memoryLimit(6 * CHUNK).maxMessage(CHUNK / 4));
        Appender appender = nic.peer();
        int sent = 0;
        while (append(appender, queue, 1, sent, 1000, 1) == Appender.OK) {
            sent++;
            nic.allocator.doWork();
        }
        assertThat(queue.query().footprint()).isEqualTo(6 * CHUNK);
        assertThat(queue.query().highWater()).isEqualTo(6 * CHUNK);
        assertThat(queue.query().rnr()).isEqualTo(1);
        assertThat(queue.query().watermarkCrossings()).isEqualTo(1);
        assertThat(sent * 1016L).isGreaterThan(5 * CHUNK);

        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(sent);
        nic.settle();
        nic.clock.addAndGet(1_000_000_000L);
        nic.settle();
        nic.clock.addAndGet(1_000_000_000L);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(3 * CHUNK);
        assertThat(queue.query().highWater()).isEqualTo(6 * CHUNK);
        assertThat(append(appender, queue, 1, 0, 1000, 1)).isEqualTo(Appender.OK);
    }

    @Test
    void chunkTableBoundsWhatIsUnread() {
        AppendQueue queue = nic.create(attributes());
        Appender appender = nic.peer();
        int sent = 0;
        while (append(appender, queue, 1, sent, 4000, 1) == Appender.OK) {
            sent++;
            nic.allocator.doWork();
        }
        assertThat(queue.query().footprint()).isEqualTo(8 * CHUNK);
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(sent);
        assertThat(append(appender, queue, 1, sent, 4000, 1)).isEqualTo(Appender.OK);
    }

    @Test
    void emptyQueueMovesToACleanChunk() {
        AppendQueue queue = nic.create(attributes());
        Appender appender = nic.peer();
        for (int i = 0; i < 10; i++) {
            append(appender, queue, 1, i, 5000, 1);
        }
        queue.poll(collector, 100);
        long free = queue.query().announcedFree();
        for (int i = 0; i < 100; i++) {
            queue.poll(collector, 1);
        }
        nic.settle();
        assertThat(queue.query().announcedFree()).isEqualTo(3 * CHUNK).isGreaterThan(free);
        assertThat(queue.query().footprint()).isEqualTo(3 * CHUNK);
        assertThat(append(appender, queue, 1, 10, 5000, 1)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 100)).isEqualTo(1);
    }

    @Test
    void handlerThatThrowsConsumesItsMessage() {
        AppendQueue queue = nic.create(attributes());
        Appender appender = nic.peer();
        append(appender, queue, 1, 0, 10, 1);
        append(appender, queue, 1, 1, 10, 1);
        assertThatThrownBy(() -> queue.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            throw new IllegalArgumentException("no");
                        },
                        10))
                .hasMessage("no");
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        assertThat(collector.messages.remove().number()).isEqualTo(1);
    }

    private int appendLarge(LargeAppender owner, AppendQueue queue, int length, int number) {
        assertThat(length).isGreaterThan(CHUNK / 4);
        int status = owner.claim(queue.id(), queue.key(), queue.pd(), length, 3, 0);
        for (int attempt = 0; attempt < 3 && status == Appender.RNR; attempt++) {
            nic.settle();
            status = owner.claim(queue.id(), queue.key(), queue.pd(), length, 3, 0);
        }
        if (status == Appender.OK) {
            long claim = owner.claimed();
            AppendFixture.fill(owner.buffer(), 0, length, 3, number);
            status = owner.commit(claim, 3, number, true);
            if (status == Appender.RNR) {
                owner.abort(claim);
            }
        }
        return status;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomTrafficAgreesWithAModel(long seed) {
        Random random = new Random(seed);
        int maxMessage = 1 << 20;
        AppendQueue queue = nic.create(attributes().maxMessage(maxMessage));
        Appender peer = nic.peer();
        Appender owner = nic.queues.appender(1);
        ArrayDeque<Message> model = new ArrayDeque<>();
        int number = 0;
        int rnr = 0;
        int large = 0;
        for (int step = 0; step < 20_000; step++) {
            int action = random.nextInt(10);
            int appends = step / 2000 % 2 == 0 ? 8 : 5; // fills in one phase, drains in the next
            if (action < appends) {
                int length = switch (random.nextInt(40)) {
                    case 0 -> 0;
                    case 1 -> CHUNK / 4;
                    case 2 -> random.nextInt(maxMessage + 1);
                    default -> random.nextInt(3000);
                };
                boolean direct = random.nextBoolean();
                int status = append(direct ? peer : owner, queue, 3, number, length, direct ? 7 : -1);
                if (status == Appender.LARGE_MESSAGE) {
                    status = appendLarge(owner.large(), queue, length, number);
                    large += status == Appender.OK ? 1 : 0;
                }
                if (status == Appender.OK) {
                    model.add(new Message(3, number++, length));
                } else {
                    assertThat(status).isEqualTo(Appender.RNR);
                    rnr++;
                }
            } else if (action < 9) {
                int limit = 1 + random.nextInt(4);
                int polled = queue.poll(collector, limit);
                assertThat(polled).isEqualTo(Math.min(limit, model.size()));
                while (!collector.messages.isEmpty()) {
                    assertThat(collector.messages.remove()).isEqualTo(model.remove());
                }
                assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
            } else {
                nic.clock.addAndGet(10_000_000);
                nic.allocator.doWork();
            }
        }
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(model.size());
        assertThat(new ArrayList<>(collector.messages)).isEqualTo(new ArrayList<>(model));
        assertThat(large).isGreaterThan(50);
        assertThat(rnr).isPositive();
        assertThat(queue.depth()).isZero();
        assertThat(queue.query().holes()).isZero();
    }

    @Test
    void attributesAreCheckedNamingBothValues() {
        assertThatThrownBy(() -> nic.create(attributes().chunkLength(1000)))
                .hasMessage("chunk length 1000 < minimum 65536");
        assertThatThrownBy(() -> nic.create(attributes().chunkLength(100_000)))
                .hasMessage("chunk length 100000 is not a power of two; next is 131072");
        assertThatThrownBy(() -> nic.create(attributes().reserveChunks(0))).hasMessage("reserve chunks 0 < minimum 1");
        assertThatThrownBy(() -> nic.create(attributes().reserveChunks(7))).hasMessage("reserve chunks 7 > maximum 6");
        assertThatThrownBy(() -> nic.create(attributes().memoryLimit(100)))
                .hasMessage("memory limit 100 < minimum " + (3 * CHUNK + (1 << 20)));
        assertThatThrownBy(() -> nic.create(attributes().maxMessage(-1))).hasMessage("max message -1 < minimum 0");
        assertThatThrownBy(() -> nic.queues.create(attributes(), 1, 2)).hasMessage("engine 2, limit 2");
    }

    @Test
    void tooManyQueuesAndTooLittleMemoryAreRefused() {
        for (int i = 0; i < 4; i++) {
            assertThat(nic.create(attributes()).id()).isEqualTo(i);
        }
        assertThatThrownBy(() -> nic.create(attributes()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("4 = maximum 4");

        AppendFixture small = new AppendFixture(new DirectMemoryProvider(3 * CHUNK));
        long before = small.memory.allocated();
        assertThatThrownBy(() -> small.create(attributes())).isInstanceOf(MemoryExhaustedException.class);
        assertThat(small.memory.allocated()).isEqualTo(before);
        AppendQueue queue = small.create(attributes().reserveChunks(1).maxMessage(100));
        assertThat(append(small.peer(), queue, 1, 0, 100, 1)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
    }
}
