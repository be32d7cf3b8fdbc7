package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.verbs.EngineMode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class BackgroundTest {
    @Test
    void withoutAThreadItSaysThatItIsWanted() {
        int[] turns = new int[1];
        try (Background background = new Background("orders", () -> turns[0]++, () -> false, false)) {
            assertThat(background.isWanted()).isFalse();
            background.wake();
            background.wake();
            assertThat(background.isWanted()).isTrue();
            assertThat(turns[0]).as("nobody runs it").isZero();
            background.doWork();
            assertThat(background.isWanted()).isFalse();
            assertThat(turns[0]).isEqualTo(1);
        }
    }

    @Test
    void whoAsksDuringTheWorkIsHeardTheNextTime() {
        Background[] self = new Background[1];
        try (Background background = new Background(
                "orders",
                () -> {
                    self[0].wake();
                    return 0;
                },
                () -> false,
                false)) {
            self[0] = background;
            background.doWork();
            assertThat(background.isWanted()).isTrue();
        }
    }

    @Test
    void withAThreadItRunsThere() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        try (Background background = new Background(
                "orders",
                () -> {
                    ran.countDown();
                    return 0;
                },
                () -> false,
                true)) {
            background.wake();
            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
            assertThatIllegalStateException().isThrownBy(background::doWork);
        }
    }

    @Test
    void itsThreadOutlivesAnError() throws InterruptedException {
        AtomicInteger turns = new AtomicInteger();
        CountDownLatch ran = new CountDownLatch(1);
        try (Background background = new Background(
                "orders",
                () -> {
                    if (turns.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("of this test");
                    }
                    ran.countDown();
                    return 0;
                },
                () -> true,
                true)) {
            background.wake();
            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void closingDoesWhatIsLeftAndEndsThoughThereIsAlwaysMore() {
        int[] left = {3};
        new Background("orders", () -> left[0] > 0 ? left[0]-- : 0, () -> left[0] > 0, false).close();
        assertThat(left[0]).isZero();
        int[] turns = new int[1];
        new Background("orders", () -> 1 + (turns[0]++ & 1), () -> true, false).close();
        assertThat(turns[0]).isBetween(1, 1_000_000);
    }

    @Test
    void aNicTellsItAndHasAsManyChunksAsItWasTold() {
        NicContext context = new NicContext()
                .mode(EngineMode.INVOKER)
                .backgroundThread(false)
                .maxAppendQueues(2)
                .chunksPerAppendQueue(128);
        try (Nic nic = Nic.open(context)) {
            AppendQueueAttributes attributes = new AppendQueueAttributes()
                    .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                    .maxMessage(100);
            var queue = nic.allocateProtectionDomain().createAppendQueue(attributes);
            assertThat(queue.attributes().memoryLimit())
                    .isGreaterThanOrEqualTo(128L * AppendQueueAttributes.MIN_CHUNK_LENGTH);
            nic.backgroundWork();
            assertThat(nic.isBackgroundWanted()).isFalse();
            queue.modify(new AppendQueueAttributes(queue.attributes()).reserveChunks(126));
            assertThat(nic.isBackgroundWanted()).isTrue();
            while (nic.backgroundWork() > 0) {}
            assertThat(queue.query().announcedFree()).isEqualTo(127L * AppendQueueAttributes.MIN_CHUNK_LENGTH);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.chunksPerAppendQueue(100))
                .withMessage("chunksPerAppendQueue 100 is not a power of two");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.chunksPerAppendQueue(8192))
                .withMessage("chunksPerAppendQueue 8192 outside 4..4096");
    }
}
