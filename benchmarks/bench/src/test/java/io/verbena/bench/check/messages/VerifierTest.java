package io.verbena.bench.check.messages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check can fail: each kind of flaw, fed to whoever judges messages, is named. */
@Timeout(180)
class VerifierTest {
    private static final int STREAM = 7;

    private final Findings findings = new Findings();
    private final MessageContent content = new MessageContent(42);
    private final NodeArrivals arrivals = new NodeArrivals("here", content, findings);
    private final Object channel = new Object();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);

    @BeforeEach
    void garbage() {
        buffer.setMemory(0, buffer.capacity(), (byte) 0x5A);
    }

    private long send(HubInbox to, long number, int length) {
        long identity = MessageContent.identity(to.code(), STREAM, number);
        content.fill(buffer, 8, identity, length);
        return identity;
    }

    private void take(HubInbox at, int consumer, int length, int immediate) {
        arrivals.accept(at, consumer, channel, buffer, 8, length, immediate);
    }

    private void pass(long number, int length) {
        long identity = send(HubInbox.SINK, number, length);
        take(
                HubInbox.SINK,
                0,
                length,
                length < MessageContent.IDENTITY_LENGTH ? MessageContent.immediate(identity) : 0);
    }

    private void assertFlaw(FlawKind kind, long number) {
        Flaw flaw = findings.first();
        assertThat(flaw).isNotNull();
        assertThat(flaw.kind()).as(flaw.toString()).isEqualTo(kind);
        assertThat(flaw.number()).as(flaw.toString()).isEqualTo(number);
        assertThat(flaw.stream()).isEqualTo(STREAM);
        assertThat(flaw.where()).contains("here");
        assertThat(flaw.expected()).isNotBlank().isNotEqualTo(flaw.got());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 15, 16, 17, 100, 1000, 65000})
    void messagesInOrderAreRight(int length) {
        for (int i = 0; i < 6000; i += 1) {
            pass(i, length % 100 == 0 && i > 10 ? 0 : length);
        }
        arrivals.finish(HubInbox.SINK, STREAM, 6000);
        assertThat(findings.first()).isNull();
        assertThat(arrivals.received(STREAM)).isEqualTo(6000);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 64})
    void aDuplicateIsNamed(int length) {
        pass(0, 64);
        pass(1, length);
        pass(1, length);
        assertFlaw(FlawKind.DUPLICATE, 1);
    }

    @Test
    void aLostMessageIsNamedWhileOthersCome() {
        pass(0, 20);
        for (int i = 2; i < StreamCheck.PATIENCE + 10; i++) {
            pass(i, 20);
        }
        assertFlaw(FlawKind.LOST, 1);
    }

    @Test
    void aLostMessageIsNamedAtTheEnd() {
        pass(0, 20);
        arrivals.finish(HubInbox.SINK, STREAM, 2);
        assertFlaw(FlawKind.LOST, 1);
    }

    @Test
    void aGapIsNamedWhereTheEndIsNotKnown() {
        pass(0, 20);
        pass(2, 20);
        arrivals.finishAll();
        assertFlaw(FlawKind.LOST, 1);
    }

    @Test
    void messagesThatChangedPlacesAreNamed() {
        pass(0, 20);
        pass(2, 20);
        pass(1, 20);
        assertFlaw(FlawKind.REORDERED, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 17, 23, 24, 999, 60000})
    void aTornMessageIsNamedWhereverItIs(int length) {
        for (int at : new int[] {MessageContent.IDENTITY_LENGTH, length / 2 + 4, length - 1}) {
            send(HubInbox.SINK, 0, length);
            int index = 8 + Math.min(at, length - 1);
            buffer.putByte(index, (byte) (buffer.getByte(index) ^ 0x10));
            Findings own = new Findings();
            new NodeArrivals("here", content, own).accept(HubInbox.SINK, 0, channel, buffer, 8, length, 0);
            assertThat(own.first()).as("byte " + at + " of " + length).isNotNull();
            assertThat(own.first().kind()).isEqualTo(FlawKind.TORN);
        }
    }

    @Test
    void aMessageCutShortIsTorn() {
        send(HubInbox.SINK, 0, 500);
        take(HubInbox.SINK, 0, 499, 0);
        assertFlaw(FlawKind.TORN, 0);
    }

    @Test
    void aMessageOfHalfAnotherIsTorn() {
        send(HubInbox.SINK, 1, 4096);
        byte[] other = new byte[2048];
        buffer.getBytes(8 + 2048, other);
        send(HubInbox.SINK, 0, 4096);
        buffer.putBytes(8 + 2048, other);
        take(HubInbox.SINK, 0, 4096, 0);
        assertFlaw(FlawKind.TORN, 0);
    }

    @Test
    void aMessageOfGarbageIsTorn() {
        arrivals.accept(HubInbox.SINK, 0, channel, buffer, 8, 64, 0);
        assertThat(findings.first().kind()).isEqualTo(FlawKind.TORN);
    }

    @Test
    void theWrongBitsBesideAMessageAreTorn() {
        send(HubInbox.SINK, 0, 100);
        take(HubInbox.SINK, 0, 100, 12345);
        assertFlaw(FlawKind.TORN, 0);
    }

    @Test
    void aMessageInAnotherInboxIsNamed() {
        send(HubInbox.SINK, 0, 100);
        take(HubInbox.POLLED, 0, 100, 0);
        assertFlaw(FlawKind.MISDELIVERED, 0);
    }

    @Test
    void aMessageByAnotherChannelIsNamed() {
        pass(0, 100);
        send(HubInbox.SINK, 1, 100);
        arrivals.accept(HubInbox.SINK, 0, "another channel", buffer, 8, 100, 0);
        assertFlaw(FlawKind.MISDELIVERED, 1);
    }

    @Test
    void severalConsumersTakePartsEachInOrder() {
        for (int number : new int[] {0, 2, 3}) {
            send(HubInbox.CONSUMERS, number, 50);
            take(HubInbox.CONSUMERS, 0, 50, 0);
        }
        send(HubInbox.CONSUMERS, 1, 50);
        take(HubInbox.CONSUMERS, 1, 50, 0);
        assertThat(findings.first()).isNull();
        send(HubInbox.CONSUMERS, 5, 50);
        take(HubInbox.CONSUMERS, 0, 50, 0);
        send(HubInbox.CONSUMERS, 4, 50);
        take(HubInbox.CONSUMERS, 0, 50, 0);
        assertFlaw(FlawKind.REORDERED, 4);
    }

    @Test
    void aCallbackInsideAnotherIsNamed() {
        Entrance entrance = new Entrance("here", findings);
        entrance.enter("one", () -> {});
        entrance.enter("another", () -> {});
        assertThat(findings.first()).isNull();
        entrance.enter("the outer", () -> entrance.enter("the inner", () -> {}));
        assertThat(findings.first().kind()).isEqualTo(FlawKind.REENTERED);
        assertThat(findings.first().expected()).contains("the outer");
        assertThat(findings.first().got()).contains("the inner");
    }

    @Test
    void aRegionThatDoesNotAddUpIsNamed() {
        RegionSums sums = new RegionSums("here", findings);
        sums.added(3, 100);
        sums.swapped(1);
        long[] words = new long[SharedRegionLayout.SUMS + SharedRegionLayout.SWAPPED];
        words[3] = 100;
        words[SharedRegionLayout.SUMS + 1] = 1;
        sums.judge(words);
        assertThat(findings.first()).isNull();
        sums.judge(Arrays.copyOf(words, words.length - 3));
        words[3] = 99;
        sums.judge(words);
        assertThat(findings.first().kind()).isEqualTo(FlawKind.WRONG_MEMORY);
    }
}
