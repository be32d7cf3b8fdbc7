package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MessageCheckTest {
    private static final int LENGTH = 100;
    private static final int LONG = 1000;

    private final EtcMessageFlyweight message = new EtcMessageFlyweight();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LONG]);
    private final MessageCheck check = new MessageCheck(2, 2, length -> length == LONG ? 1 : 0, 8);

    private boolean accept(int sender, long sequence, int length) {
        message.encode(buffer, length, sender, sequence, 7);
        return check.accept(buffer, 0, length, sender);
    }

    @Test
    void messagesInOrderAreSound() {
        for (int i = 0; i < 100; i++) {
            assertThat(accept(0, i, LENGTH)).isTrue();
            assertThat(accept(1, i, LONG)).isTrue();
        }
        assertThat(check.received()).isEqualTo(200);
        assertThat(check.duplicated() + check.torn() + check.reordered()).isZero();
        assertThat(check.missing(0, 100) + check.missing(1, 100)).isZero();
    }

    @Test
    void whatDidNotComeIsMissing() {
        accept(0, 0, LENGTH);
        accept(0, 2, LENGTH);
        assertThat(check.missing(0, 3)).isEqualTo(1);
        assertThat(check.missing(0, 5)).isEqualTo(3);
        assertThat(check.missing(1, 4)).isEqualTo(4);
    }

    @Test
    void whatComesAgainIsDuplicated() {
        accept(0, 0, LENGTH);
        assertThat(accept(0, 0, LENGTH)).isFalse();
        assertThat(check.duplicated()).isEqualTo(1);
        assertThat(check.missing(0, 1)).isZero();
        assertThat(check.received()).isEqualTo(2);
        assertThat(check.whole(0)).isEqualTo(1);
    }

    @Test
    void anyByteThatChangesIsTorn() {
        int torn = 0;
        for (int at = 0; at < LENGTH; at++) {
            message.encode(buffer, LENGTH, 0, 5, 7);
            buffer.putByte(at, (byte) (buffer.getByte(at) ^ 1));
            assertThat(check.accept(buffer, 0, LENGTH, 0)).as("byte %d", at).isFalse();
            assertThat(check.torn()).isEqualTo(++torn);
        }
        message.encode(buffer, LENGTH, 0, 5, 7);
        assertThat(check.accept(buffer, 0, LENGTH - 1, 0)).as("cut").isFalse();
        assertThat(check.accept(buffer, 0, LENGTH, 1)).as("of another sender").isFalse();
        assertThat(check.accept(buffer, 0, 3, 0)).as("too short for a header").isFalse();
        assertThat(check.torn()).isEqualTo(LENGTH + 3);
        assertThat(check.missing(0, 6)).isEqualTo(6);
    }

    @Test
    void orderIsThatOfALane() {
        accept(0, 1, LENGTH);
        accept(0, 0, LONG);
        assertThat(check.reordered()).as("another lane").isZero();
        accept(0, 3, LENGTH);
        accept(0, 2, LENGTH);
        assertThat(check.reordered()).isEqualTo(1);
    }
}
