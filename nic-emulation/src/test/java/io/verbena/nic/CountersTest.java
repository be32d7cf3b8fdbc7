package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What several engines count is the sum of it. */
@Timeout(180)
class CountersTest {
    private static final int ENGINES = 4;
    private static final int COUNTS = 500_000;

    @Test
    void enginesLoseNoneOfEachOthersCounts() throws InterruptedException {
        try (Nic nic = Nic.open(new NicContext().engines(ENGINES).mode(EngineMode.INVOKER))) {
            long before = nic.counter(NicCounter.PACKETS_SENT);
            CountDownLatch start = new CountDownLatch(ENGINES);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < ENGINES; i++) {
                TransportServices services = nic.engine(i).services();
                Thread thread = new Thread(() -> count(services, start));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(nic.counter(NicCounter.PACKETS_SENT) - before).isEqualTo((long) ENGINES * COUNTS);
        }
    }

    private static void count(TransportServices services, CountDownLatch start) {
        start.countDown();
        try {
            start.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        for (int i = 0; i < COUNTS; i++) {
            services.count(NicCounter.PACKETS_SENT);
        }
    }
}
