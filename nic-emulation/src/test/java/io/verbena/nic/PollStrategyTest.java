package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.engine.EngineAgent;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Step;
import io.verbena.nic.port.PollStrategy.Waiting;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.EngineMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a strategy answers, no wake-up is lost; and each is asked as its contract says. */
@Timeout(180)
class PollStrategyTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(20);
    private static final int ROUNDS = 200;

    /** Answers that are legal one by one, in any order. */
    private enum Kind {
        SLEEPS,
        YIELDS_ONCE,
        BUDGET,
        ANY;

        Step answer(int asked, SimRandom random) {
            switch (this) {
                case SLEEPS:
                    return Step.SLEEP;
                case YIELDS_ONCE:
                    return asked == 1 ? Step.YIELD : Step.SLEEP;
                case BUDGET: // RDMAbox: so many empty polls, then arm
                    return asked <= 120 ? Step.SPIN : Step.SLEEP;
                default:
                    return Step.values()[random.nextInt(Step.values().length)];
            }
        }
    }

    /** Counts how it is asked, and complains where that is not as the contract says. */
    private static final class Scripted implements PollStrategy {
        final Kind kind;
        final Waiting who;
        final SimRandom random = new SimRandom(7);
        final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
        final AtomicInteger inside = new AtomicInteger();
        int waits;
        int ended;
        volatile boolean closed;
        volatile boolean waiting;
        private boolean toldToSleep;
        private int asked;

        Scripted(Kind kind, Waiting who) {
            this.kind = kind;
            this.who = who;
        }

        @Override
        public void begin(long deadlineNanos) {
            enter();
            waiting = true;
            toldToSleep = false;
            asked = 0;
            waits++;
            inside.decrementAndGet();
        }

        @Override
        public Step idle() {
            enter();
            check(waiting, "asked outside of a wait");
            check(!toldToSleep || who == Waiting.ENGINE, "a guest that was told to sleep asks again");
            Step step = kind.answer(++asked, random);
            if (step == Step.SLEEP) {
                toldToSleep = true;
            }
            inside.decrementAndGet();
            return step;
        }

        @Override
        public void worked() {
            enter();
            check(waiting && !toldToSleep, "worked without a wait, or after a sleep");
            waiting = false;
            ended++;
            inside.decrementAndGet();
        }

        @Override
        public long began() {
            check(toldToSleep, "nobody sleeps");
            return 42;
        }

        @Override
        public void slept(long began, boolean found) {
            enter();
            check(began == 42, "of another wait: " + began);
            waiting = false;
            ended++;
            inside.decrementAndGet();
        }

        @Override
        public void close() {
            closed = true;
        }

        private void enter() {
            check(inside.incrementAndGet() == 1, "two threads at once");
        }

        private void check(boolean holds, String complaint) {
            if (!holds) {
                complaints.add(complaint);
            }
        }
    }

    /** Makes an odd number even, which is its work. */
    private record Even(AtomicInteger number) implements EngineAgent {
        @Override
        public int doWork() {
            if (!hasWork()) {
                return 0;
            }
            number.incrementAndGet();
            return 1;
        }

        @Override
        public boolean hasWork() {
            return (number.get() & 1) != 0;
        }

        @Override
        public long nextDeadline() {
            return Long.MAX_VALUE;
        }
    }

    private static NicContext context(EngineMode mode, Kind kind, List<Scripted> made) {
        return new NicContext().mode(mode).polling(who -> {
            Scripted strategy = new Scripted(kind, who);
            made.add(strategy);
            return strategy;
        });
    }

    private static Scripted madeFor(Waiting who, List<Scripted> made) {
        return made.stream().filter(s -> s.who == who).findFirst().orElseThrow();
    }

    /** One thread offers an entry, another awaits it and hands the turn back, many times. */
    @ParameterizedTest
    @EnumSource
    void noGuestIsLeftAsleep(Kind kind) throws InterruptedException {
        List<Scripted> made = new ArrayList<>();
        try (Nic nic = Nic.open(context(EngineMode.THREAD, kind, made))) {
            CompletionQueue cq = nic.createCompletionQueue(16);
            AtomicInteger taken = new AtomicInteger();
            Thread guest = new Thread(() -> {
                Completion[] one = Completion.array(1);
                while (taken.get() < ROUNDS && cq.await(LONG)) {
                    taken.addAndGet(cq.poll(one));
                }
            });
            guest.start();
            Scripted engine = madeFor(Waiting.ENGINE, made);
            while (!engine.waiting) { // an engine that always finds work in time never asks
                Thread.onSpinWait();
            }
            for (int i = 0; i < ROUNDS; i++) {
                // The engine itself completes: it wakes its guests at the end of the turn that this asks for.
                cq.engine().callSoon(() -> {
                    cq.ring().offer(1, 0, 0, 0, 2, 3, 0, 0, 0);
                    cq.ring().noteOffered(false);
                });
                cq.engine().wake();
                while (taken.get() <= i && guest.isAlive()) {
                    Thread.onSpinWait();
                }
            }
            guest.join();
            assertThat(taken.get()).isEqualTo(ROUNDS);
            cq.close();
        }
        assertThat(made).extracting(s -> s.who).containsExactlyInAnyOrder(Waiting.ENGINE, Waiting.GUEST);
        for (Scripted strategy : made) {
            assertThat(strategy.complaints).as(strategy.who.name()).isEmpty();
            assertThat(strategy.closed).as(strategy.who.name()).isTrue();
            assertThat(strategy.waits).as("asked").isPositive();
        }
    }

    /** A call from another thread is heard by an engine's thread however it waits. */
    @ParameterizedTest
    @EnumSource
    void noEngineIsLeftAsleep(Kind kind) throws InterruptedException {
        List<Scripted> made = new ArrayList<>();
        try (Nic nic = Nic.open(context(EngineMode.THREAD, kind, made))) {
            CompletionQueue cq = nic.createCompletionQueue(16);
            AtomicInteger turns = new AtomicInteger();
            cq.engine().agent(new Even(turns));
            Scripted engine = madeFor(Waiting.ENGINE, made);
            for (int i = 0; i < ROUNDS; i++) {
                while (!engine.waiting) { // an engine that always finds work in time never asks
                    Thread.onSpinWait();
                }
                turns.incrementAndGet();
                cq.engine().wake();
                while (turns.get() % 2 == 1) {
                    Thread.onSpinWait();
                }
            }
            assertThat(turns.get()).isEqualTo(2 * ROUNDS);
            cq.close();
        }
        Scripted engine = madeFor(Waiting.ENGINE, made);
        assertThat(engine.complaints).isEmpty();
        assertThat(engine.ended).as("waits that ended").isPositive();
    }

    /** Of several that wait, one at a time asks; the others sleep, and all are woken. */
    @Test
    void manyGuestsAskOneAtATime() throws InterruptedException {
        List<Scripted> made = new ArrayList<>();
        List<Thread> guests = new ArrayList<>();
        AtomicInteger came = new AtomicInteger();
        try (Nic nic = Nic.open(context(EngineMode.THREAD, Kind.ANY, made))) {
            for (int i = 0; i < 4; i++) {
                CompletionQueue cq = nic.createCompletionQueue(16);
                Thread guest = new Thread(() -> {
                    for (int j = 0; j < 20; j++) {
                        cq.await(TimeUnit.MILLISECONDS.toNanos(1));
                    }
                    if (cq.await(LONG)) {
                        came.incrementAndGet();
                    }
                });
                guests.add(guest);
                guest.start();
                cq.engine().callSoon(() -> cq.ring().offer(1, 0, 0, 0, 2, 3, 0, 0, 0));
                cq.engine().wake();
            }
            for (Thread guest : guests) {
                guest.join();
            }
        }
        assertThat(came.get()).isEqualTo(4);
        assertThat(made).allSatisfy(s -> assertThat(s.complaints).isEmpty());
    }
}
