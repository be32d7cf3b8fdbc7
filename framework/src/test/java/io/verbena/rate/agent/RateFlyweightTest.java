package io.verbena.rate.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rate.RateMessage;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class RateFlyweightTest {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[RateFlyweight.MAX_LENGTH]);
    private final RateMessage read = new RateMessage();

    private static RateMessage message(SplittableRandom random, int reports, int prices) {
        RateMessage m = new RateMessage();
        m.epoch = random.nextLong();
        m.sequence = random.nextLong();
        m.answeredEpoch = random.nextLong();
        m.answered = random.nextLong();
        m.reportStep = random.nextLong();
        m.priceStep = random.nextLong();
        m.pricedAt = random.nextLong();
        m.reports = reports;
        m.prices = prices;
        for (double[] part : new double[][] {m.rate, m.curvature, m.share, m.minimum}) {
            for (int t = 0; t < reports; t++) {
                part[t] = random.nextDouble();
            }
        }
        for (double[] part : new double[][] {m.price, m.weight, m.grant, m.even}) {
            for (int t = 0; t < prices; t++) {
                part[t] = random.nextDouble();
            }
        }
        return m;
    }

    @Test
    void whatIsWrittenIsRead() {
        SplittableRandom random = new SplittableRandom(1);
        int most = RateMessage.MAX_TARGETS;
        for (int[] counts : new int[][] {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {most, most}, {3, 7}}) {
            RateMessage m = message(random, counts[0], counts[1]);
            int length = RateFlyweight.encode(m, buffer);
            assertThat(length).isLessThanOrEqualTo(RateFlyweight.MAX_LENGTH);
            assertThat(RateFlyweight.isOne(buffer, length)).isTrue();
            RateMessage fresh = new RateMessage();
            assertThat(RateFlyweight.decode(buffer, length, fresh)).isTrue();
            assertThat(fresh).usingRecursiveComparison().isEqualTo(m);
        }
    }

    @Test
    void otherVersionsAndLengthsAreRefused() {
        RateMessage m = message(new SplittableRandom(2), 2, 1);
        int length = RateFlyweight.encode(m, buffer);
        for (int cut = 0; cut < length; cut++) {
            assertThat(RateFlyweight.decode(buffer, cut, read)).isFalse();
        }
        assertThat(RateFlyweight.decode(buffer, length + 1, read)).isFalse();
        buffer.putByte(2, (byte) 2);
        assertThat(RateFlyweight.isOne(buffer, length)).as("of a later version").isTrue();
        assertThat(RateFlyweight.decode(buffer, length, read)).isFalse();
        buffer.putByte(0, (byte) 0);
        assertThat(RateFlyweight.isOne(buffer, length)).isFalse();
        assertThat(RateFlyweight.isOne(buffer, 3)).isFalse();
    }

    @Test
    void nothingThatComesDoesMoreThanBeRefused() {
        SplittableRandom random = new SplittableRandom(3);
        byte[] bytes = new byte[RateFlyweight.MAX_LENGTH];
        UnsafeBuffer noise = new UnsafeBuffer(bytes);
        for (int k = 0; k < 20_000; k++) {
            random.nextBytes(bytes);
            noise.putInt(0, RateFlyweight.MAGIC, java.nio.ByteOrder.LITTLE_ENDIAN);
            int length = random.nextInt(bytes.length + 1);
            boolean isRead = RateFlyweight.decode(noise, length, read);
            if (isRead) {
                assertThat(length)
                        .isEqualTo(RateFlyweight.HEADER_LENGTH
                                + (read.reports + read.prices) * RateFlyweight.ENTRY_LENGTH);
            }
        }
    }
}
