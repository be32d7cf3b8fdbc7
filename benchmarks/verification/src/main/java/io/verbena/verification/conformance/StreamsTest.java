package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.verification.conformance.StreamSource.Sender;
import io.verbena.verification.conformance.Way.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue pair that many send by, as channels do: each stream has its messages, and no other one's trouble. */
@SuppressWarnings("NullAway.Init") // before each test
final class StreamsTest extends ConformanceTest {
    private static final int CHUNK = 64 * 1024;
    private static final int LENGTH = 1000;

    private StreamSource source;

    @Override
    Players players() {
        Players players = Players.linked(fabric);
        source = new StreamSource(players.a.qp);
        new StreamSource(players.b.qp); // many send by both ends
        players.connect(players.a.qp, players.b.qp, attributes().minRnrTimer(5).timeout(10));
        return players;
    }

    private void post(Sender sender, int number, int length) {
        sender.post(sender.append(a.request, number).wrId(number).local(a.key(), 0, length));
    }

    private void post(int first, int end, Sender... senders) {
        for (int i = first; i < end; i++) {
            for (Sender sender : senders) {
                post(sender, i, LENGTH);
            }
        }
        source.ring();
    }

    /** The immediates of a stream's messages, in the order in which they came. */
    private static List<Integer> numbers(List<TestNic.Message> messages, Sender sender) {
        return messages.stream()
                .filter(m -> RecordDescriptor.stream(m.flags()) == sender.stream)
                .map(TestNic.Message::immediate)
                .toList();
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    private void expect(List<TestNic.Message> messages, int each, Sender... senders) {
        assertThat(messages).hasSize(each * senders.length);
        for (Sender sender : senders) {
            assertThat(numbers(messages, sender)).as("stream " + sender.stream).isEqualTo(upTo(each));
        }
    }

    private void expectUnharmed() {
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(a.sends).allMatch(Wc::isSuccess);
    }

    // ---- number, immediate, order ------------------------------------------------------------------------------

    /** Together in a packet, alone in one, and in several. */
    @Proves({Row.STREAM_NUMBER, Row.STREAM_IMMEDIATE})
    @ParameterizedTest
    @ValueSource(ints = {0, 8, LENGTH, 3 * MTU})
    void aMessageHasItsStreamAndTheApplicationsImmediate(int length) {
        AppendQueue queue = b.newAppendQueue();
        int[] immediates = {0, 1, -1, Integer.MIN_VALUE, 0x0FFF_0000, 0x000F_FF00};
        List<Sender> senders = IntStream.of(0, 1, 4095, 0x5A5)
                .mapToObj(stream -> source.sender(stream, queue))
                .toList();
        for (Sender sender : senders) {
            for (int immediate : immediates) {
                post(sender, immediate, length);
            }
            sender.post(sender.append(a.request).local(a.key(), 0, length));
        }
        source.ring();
        p.until(() -> b.messages.size() == senders.size() * (immediates.length + 1));
        for (Sender sender : senders) {
            List<TestNic.Message> of = b.messages.stream()
                    .filter(m -> RecordDescriptor.stream(m.flags()) == sender.stream)
                    .toList();
            assertThat(of).hasSize(immediates.length + 1).allMatch(m -> m.bytes().length == length);
            for (int i = 0; i < immediates.length; i++) {
                assertThat(of.get(i).immediate()).isEqualTo(immediates[i]);
                assertThat(of.get(i).flags() & RecordDescriptor.HAS_IMMEDIATE).isNotZero();
            }
            assertThat(of.get(immediates.length).flags() & RecordDescriptor.HAS_IMMEDIATE)
                    .isZero();
        }
        expectUnharmed();
    }

    @Proves(Row.STREAM_LIMIT)
    @Test
    void thereAre4096() {
        AppendQueue queue = b.newAppendQueue();
        refused(() -> a.request.append(queue.id(), queue.key()).stream(4096), 4096, 4095);
        refused(() -> a.request.append(queue.id(), queue.key()).stream(-1), -1, 4095);
        refused(() -> a.request.send().stream(1), "SEND");
    }

    @Proves(Row.STREAM_ORDER)
    @Test
    void eachStreamHasItsOrder() {
        AppendQueue queue = b.newAppendQueue();
        Sender[] senders = {source.sender(1, queue), source.sender(2, queue), source.sender(3, queue)};
        post(0, 200, senders);
        p.until(() -> b.messages.size() >= 600);
        p.settle();
        expect(b.messages, 200, senders);
        expectUnharmed();
    }

    @Proves(Row.STREAM_ORDER)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whateverIsLostOrRepeated(int seed) {
        needsPackets();
        Random random = new Random(seed);
        Fate[] fates = {Fate.DROP, Fate.TWICE};
        p.toB.filter((buffer, offset, length) -> random.nextInt(15) == 0 ? fates[random.nextInt(2)] : Fate.PASS);
        p.toA.filter((buffer, offset, length) -> random.nextInt(15) == 0 ? fates[random.nextInt(2)] : Fate.PASS);
        eachStreamHasItsOrder();
        assertThat(p.toB.lost + p.toA.lost).isPositive();
        assertThat(p.toB.repeated + p.toA.repeated).isPositive();
    }

    // ---- what the peer does not take ---------------------------------------------------------------------------

    /** Holds less than 200 messages. */
    private AppendQueue smallQueue() {
        return b.pd.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(CHUNK)
                .maxMessage(8_000)
                .reserveChunks(1)
                .memoryLimit(3 * CHUNK));
    }

    private void drain(AppendQueue queue, List<TestNic.Message> into) {
        queue.poll(
                (buffer, offset, length, qp, immediate, flags) ->
                        into.add(new TestNic.Message(new byte[length], qp, immediate, flags)),
                1000);
    }

    private void drainUntil(AppendQueue queue, List<TestNic.Message> into, int messages) {
        for (int i = 0; i < 1000 && into.size() < messages; i++) {
            drain(queue, into);
            p.runFor(MILLI);
        }
        p.settle();
        drain(queue, into);
    }

    @Proves({Row.STREAM_WAITS, Row.STREAM_TAKEN_BACK})
    @Test
    void aFullQueueHoldsUpThoseThatSendToIt() {
        AppendQueue full = smallQueue();
        AppendQueue other = b.newAppendQueue();
        Sender[] held = {source.sender(1, full), source.sender(2, full)};
        Sender[] free = {source.sender(3, other), source.sender(4, other)};
        post(0, 150, held[0], free[0], held[1], free[1]);
        p.until(() -> b.messages.size() >= 300);
        p.settle();
        assertThat(held[0].outstanding()).isPositive();
        assertThat(source.takenBack).isPositive();
        post(150, 200, free);
        p.until(() -> b.messages.size() >= 400);
        expect(b.messages, 200, free);
        List<TestNic.Message> late = new ArrayList<>();
        drainUntil(full, late, 300);
        expect(late, 150, held);
        expect(b.messages, 200, free);
        assertThat(a.sends).hasSize(700);
        expectUnharmed();
    }

    @Proves({Row.STREAM_REFUSED, Row.STREAM_TAKEN_BACK})
    @Test
    void aQueueThatIsGoneEndsThoseThatSendToIt() {
        AppendQueue gone = smallQueue();
        AppendQueue other = b.newAppendQueue();
        Sender ends = source.sender(1, gone);
        Sender[] go = {source.sender(2, other), source.sender(3, other)};
        post(0, 20, go[0], ends, go[1]);
        List<TestNic.Message> before = new ArrayList<>();
        drainUntil(gone, before, 20);
        expect(before, 20, ends);
        assertThat(gone.destroy(true)).isTrue();
        post(20, 60, go[0], ends, go[1]);
        p.until(() -> b.messages.size() >= 120);
        p.settle();
        expect(b.messages, 60, go);
        assertThat(ends.refused).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        assertThat(ends.outstanding()).isEqualTo(40);
        assertThat(go).allMatch(sender -> sender.refused == null && sender.outstanding() == 0);
        assertThat(b.nic.counter(NicCounter.APPENDS_REFUSED)).isOne();
        expectUnharmed();
    }

    @Proves(Row.STREAM_REFUSED)
    @Test
    void aWrongKeyEndsItsSenderAlone() {
        AppendQueue queue = b.newAppendQueue();
        Sender ends = source.sender(1, queue.id(), queue.key() + 1);
        Sender goes = source.sender(2, queue);
        post(0, 50, ends, goes);
        p.until(() -> b.messages.size() >= 50);
        p.settle();
        expect(b.messages, 50, goes);
        assertThat(ends.refused).isEqualTo(WcStatus.REM_ACCESS_ERR);
        expectUnharmed();
    }

    // ---- SKIP --------------------------------------------------------------------------------------------------

    private static boolean isSkip(DirectBuffer buffer, int offset) {
        return BthFlyweight.opcode(buffer, offset) == Opcode.SKIP.code();
    }

    @Proves(Row.SKIP_LOST)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSkipIsSentAgainWhenItOrItsAnswerIsLost(boolean answer) {
        needsPackets();
        AppendQueue queue = b.newAppendQueue();
        Sender ends = source.sender(1, queue.id(), queue.key() + 1);
        Sender goes = source.sender(2, queue);
        int[] skips = new int[1];
        p.toB.filter((buffer, offset, length) -> {
            skips[0] += isSkip(buffer, offset) ? 1 : 0;
            return !answer && skips[0] == 1 && isSkip(buffer, offset) ? Fate.DROP : Fate.PASS;
        });
        p.toA.filter((buffer, offset, length) -> answer && skips[0] == 1 ? Fate.DROP : Fate.PASS);
        post(0, 50, ends, goes);
        p.until(() -> b.messages.size() >= 50);
        p.settle();
        assertThat(skips[0]).isEqualTo(2);
        assertThat(answer ? p.toA.lost : p.toB.lost).isPositive();
        expect(b.messages, 50, goes);
        expectUnharmed();
    }

    /** All copies of what was skipped come when the others are there. */
    @Proves(Row.STREAM_TAKEN_BACK)
    @Test
    void aCopyOfWhatWasSkippedIsNotTaken() {
        needsPackets();
        AppendQueue queue = b.newAppendQueue();
        Sender ends = source.sender(1, queue.id(), queue.key() + 1);
        Sender goes = source.sender(2, queue);
        p.toB.record();
        post(0, 20, ends, goes);
        p.until(() -> b.messages.size() >= 20);
        p.settle();
        assertThat(p.toB.opcodes()).contains(Opcode.SKIP);
        long duplicates = b.nic.counter(NicCounter.DUPLICATE_REQUESTS);
        List<byte[]> copies = List.copyOf(p.toB.recorded);
        copies.forEach(p.toB::inject);
        p.settle();
        assertThat(b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(duplicates + copies.size());
        expect(b.messages, 20, goes);
        post(20, 30, goes);
        p.until(() -> b.messages.size() >= 30);
        expect(b.messages, 30, goes);
        expectUnharmed();
    }
}
