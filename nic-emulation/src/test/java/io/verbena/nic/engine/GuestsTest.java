package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.port.PollStrategy.Waiting;
import io.verbena.nic.verbs.EngineMode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Application threads that sleep while an engine's own thread sleeps and wakes for its own reasons. */
@Timeout(120)
class GuestsTest {
    private static final int TIMES = 50;

    private final Nic nic = Nic.open(new NicContext()
            .id(0xA0)
            .mode(EngineMode.ASSISTED)
            .polling(Polling.hybrid())
            .backgroundThread(false));
    private final Engine engine = nic.engine(0);

    @AfterEach
    void close() {
        nic.close();
    }

    private long wakeUps(Waiting who) {
        return nic.waitStatistics(who).wakeUps();
    }

    private long sleeps(Waiting who) {
        return nic.waitStatistics(who).sleeps();
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(1);
        }
    }

    @Test
    void anEngineThatWakesForItselfWakesNoGuest() throws InterruptedException {
        AtomicBoolean come = new AtomicBoolean();
        AtomicReference<Boolean> result = new AtomicReference<>();
        Thread guest = new Thread(() -> result.set(engine.awaitAsGuest(TimeUnit.MINUTES.toNanos(5), come::get)));
        guest.setDaemon(true);
        guest.start();
        until(() -> sleeps(Waiting.GUEST) == 1);
        BooleanSupplier nothing = () -> false;
        for (int i = 0; i < TIMES; i++) {
            long before = wakeUps(Waiting.ENGINE);
            until(() -> sleeps(Waiting.ENGINE) > before);
            engine.addParkCheck(nothing); // wakes whoever drives the engine, for it may sleep without looking at it
            until(() -> wakeUps(Waiting.ENGINE) > before);
            engine.removeParkCheck(nothing);
        }
        Thread.sleep(10);
        assertThat(wakeUps(Waiting.GUEST)).isLessThan(TIMES / 5); // a thread may be woken by chance
        come.set(true);
        engine.wake();
        guest.join();
        assertThat(result).hasValue(true);
    }
}
