package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads on simulated cores, against times worked out by hand. */
@Timeout(180)
class SimCoresTest {
    private static final long LONG = 1_000_000;

    private final Simulation simulation = new Simulation(1);
    private final List<Long> times = new ArrayList<>();
    private boolean raised;

    private static HostModel host() {
        return new HostModel()
                .quantum(1_000)
                .contextSwitch(10)
                .systemCall(5)
                .idleWake(100)
                .interrupt(20)
                .line(7)
                .spinner(1);
    }

    private SimCores cores(int count) {
        return new SimCores(simulation, count, host());
    }

    private void now() {
        times.add(simulation.nowNanos());
    }

    @Test
    void aThreadComesToACoreAndRuns() {
        SimCores cores = cores(1);
        SimThread thread = cores.start(
                "a", self -> self.run(50).then(this::now).run(7).then(this::now).end());
        simulation.runToIdle(LONG);
        assertThat(times).containsExactly(60L, 67L);
        assertThat(thread.runNanos()).isEqualTo(57);
        assertThat(cores.overheadNanos()).isEqualTo(10);
        assertThat(cores.busyNanos()).isEqualTo(67);
        assertThat(thread.hasEnded()).isTrue();
    }

    @Test
    void systemCallsSwitchesAndInterruptsAreTimeInTheKernel() {
        SimCores cores = cores(2);
        SimThread sleeper = cores.start(
                "sleeper",
                self -> self.park(LONG).run(30).awaitEvent(() -> raised, 500).end());
        cores.start(
                "waker",
                self -> self.run(50)
                        .wake(sleeper)
                        .systemCalls(3)
                        .run(40)
                        .then(this::now)
                        .end());
        simulation.runToIdle(LONG);
        assertThat(times).containsExactly(10L + 50 + 5 + 3 * 5 + 40);
        // switches to the two and twice back to the sleeper, the timer's interrupt, and to park, wake, wait and three
        assertThat(cores.kernelNanos()).isEqualTo(4 * 10 + 20 + 6 * 5);
        assertThat(cores.busyNanos()).isEqualTo(cores.kernelNanos() + 50 + 40 + 30);
    }

    @Test
    void twoThreadsShareACoreByTheQuantum() {
        SimCores cores = cores(1);
        SimThread a = cores.start("a", self -> self.run(1_500).then(this::now).end());
        SimThread b = cores.start("b", self -> self.run(1_500).then(this::now).end());
        simulation.runToIdle(LONG);
        // a 10-1,010, b 1,020-2,020, a 2,030-2,530, b 2,540-3,040
        assertThat(times).containsExactly(2_530L, 3_040L);
        assertThat(a.waitedForCoreNanos()).isEqualTo(1_010);
        assertThat(b.waitedForCoreNanos()).isEqualTo(1_010 + 510);
        assertThat(a.preemptions()).isEqualTo(1);
        assertThat(b.preemptions()).isEqualTo(1);
        assertThat(cores.contextSwitches()).isEqualTo(4);
        assertThat(cores.overheadNanos()).isEqualTo(40);
    }

    @Test
    void twoCoresRunTwoThreadsAtOnce() {
        SimCores cores = cores(2);
        cores.start("a", self -> self.run(1_500).then(this::now).end());
        cores.start("b", self -> self.run(1_500).then(this::now).end());
        simulation.runToIdle(LONG);
        assertThat(times).containsExactly(1_510L, 1_510L);
    }

    @Test
    void aSpinLockIsHandedOverByItsLines() {
        SimCores cores = cores(2);
        SimLock lock = cores.lock(SimLock.Kind.SPIN, 1);
        SimTask task = self ->
                self.acquire(lock).run(100).then(this::now).release(lock).end();
        SimThread a = cores.start("a", task);
        SimThread b = cores.start("b", task);
        simulation.runToIdle(LONG);
        // a has it from 10 to 110; three lines go to b in 21 ns.
        assertThat(times).containsExactly(110L, 231L);
        assertThat(a.waitedForLockNanos()).isZero();
        assertThat(b.waitedForLockNanos()).isEqualTo(121);
        assertThat(b.runNanos()).isEqualTo(100);
        assertThat(lock.acquisitions()).isEqualTo(2);
        assertThat(lock.contended()).isEqualTo(1);
        assertThat(lock.moves()).isEqualTo(1);
    }

    @Test
    void othersThatSpinMakeAHandOverLonger() {
        SimCores cores = cores(4);
        SimLock lock = cores.lock(SimLock.Kind.SPIN);
        for (int i = 0; i < 4; i++) {
            cores.start(
                    "t" + i,
                    self -> self.acquire(lock)
                            .run(100)
                            .then(this::now)
                            .release(lock)
                            .end());
        }
        simulation.runToIdle(LONG);
        // Two lines are 14 ns; two, one and none go on spinning.
        assertThat(times).containsExactly(110L, 110L + 116, 226L + 115, 341L + 114);
    }

    @Test
    void aThreadThatSpinsCanLoseItsCoreAndTheLockGoesToAnother() {
        SimCores cores = cores(1);
        SimLock lock = cores.lock(SimLock.Kind.SPIN);
        cores.start(
                "a",
                self -> self.acquire(lock)
                        .run(1_500)
                        .release(lock)
                        .then(this::now)
                        .end());
        SimThread b = cores.start(
                "b", self -> self.acquire(lock).then(this::now).release(lock).end());
        simulation.runToIdle(LONG);
        // a has the lock and no core while b spins for a whole quantum, from 1,020 to 2,020.
        assertThat(times).containsExactly(2_530L, 2_540L);
        assertThat(b.waitedForLockNanos()).isEqualTo(1_000);
    }

    @Test
    void aMutexIsFreeUntilWhoWasWokenComes() {
        SimCores cores = cores(2);
        SimLock lock = cores.lock(SimLock.Kind.MUTEX);
        cores.start(
                "a",
                self -> self.acquire(lock)
                        .run(100)
                        .release(lock)
                        .then(this::now)
                        .run(20)
                        .acquire(lock)
                        .then(this::now)
                        .release(lock)
                        .end());
        SimThread b = cores.start(
                "b", self -> self.acquire(lock).then(this::now).release(lock).end());
        simulation.runToIdle(LONG);
        // a releases at 110, is back from waking b at 115, and has it again at 135. b is awake at 110 + 5 + 100, on its
        // core at 225, back from its own call at 230, and waits 14 for the lines.
        assertThat(times).containsExactly(115L, 135L, 244L);
        assertThat(b.waitedForLockNanos()).isEqualTo(100 + 5 + 14);
        assertThat(b.waitedForCoreNanos()).isEqualTo(105);
        assertThat(b.wakes()).isEqualTo(1);
    }

    @Test
    void wakingASleepingCoreTakesLongerThanSharingOne() {
        for (int count = 1; count <= 2; count++) {
            Simulation world = new Simulation(1);
            SimCores cores = new SimCores(world, count, host());
            List<Long> woken = new ArrayList<>();
            SimThread a = cores.start(
                    "a",
                    self -> self.park(LONG)
                            .then(() -> woken.add(world.nowNanos()))
                            .end());
            cores.start("b", self -> self.run(50).wake(a).end());
            world.runToIdle(LONG);
            // One core: a asleep at 15, b 25-75 and a call until 80, a at 90. Two: b 10-60, a at 60 + 5 + 100 + 10.
            assertThat(woken).containsExactly(count == 1 ? 90L : 175L);
        }
    }

    @Test
    void aWakeBeforeTheSleepIsKept() {
        SimCores cores = cores(2);
        SimThread a = cores.start(
                "a",
                self -> self.run(100)
                        .park(LONG)
                        .then(this::now)
                        .park(300)
                        .then(this::now)
                        .end());
        cores.start("b", self -> self.wake(a).wake(a).end());
        simulation.runToIdle(LONG);
        // The second sleep ends by a timer's interrupt: 110 + 5 + 300 + 20 + 100 + 10.
        assertThat(times).containsExactly(110L, 545L);
        assertThat(cores.interrupts()).isEqualTo(1);
    }

    @Test
    void anEventInterruptsWhoeverRuns() {
        SimCores cores = cores(1);
        SimThread a = cores.start(
                "a", self -> self.awaitEvent(() -> raised, LONG).then(this::now).end());
        cores.start("b", self -> self.run(1_500).then(this::now).end());
        simulation.after(500, () -> raised = true);
        simulation.runToIdle(LONG);
        // b from 25 on, 20 ns of them the handler's; a waits from 500 for b's slice to be over at 1,025.
        assertThat(times).containsExactly(1_035L, 1_035L + 10 + 520);
        assertThat(a.waitedForCoreNanos()).isEqualTo(525);
        assertThat(cores.interrupts()).isEqualTo(1);
    }

    @Test
    void anEventWakesASleepingCore() {
        SimCores cores = cores(1);
        SimThread a = cores.start(
                "a", self -> self.awaitEvent(() -> raised, LONG).then(this::now).end());
        simulation.after(500, () -> raised = true);
        simulation.runToIdle(LONG);
        assertThat(times).containsExactly(500L + 100 + 20 + 10);
        assertThat(a.runNanos()).isEqualTo(5);
        assertThat(cores.busyNanos()).isEqualTo(10 + 5 + 20 + 10);
    }

    @Test
    void aWaiterOfAThreadSleepsAndIsWoken() {
        SimCores cores = cores(1);
        SimWaiter[] waiter = new SimWaiter[1];
        SimThread a = cores.start("a", self -> {
            if (waiter[0] == null) {
                waiter[0] = new SimWaiter(self);
                waiter[0].await(LONG);
            } else {
                self.then(this::now).end();
            }
        });
        simulation.after(400, () -> waiter[0].wake());
        simulation.runToIdle(LONG);
        assertThat(times).containsExactly(400L + 100 + 20 + 10);
        assertThat(a.wakes()).isEqualTo(1);
        assertThat(waiter[0].awaits()).isEqualTo(1);
    }

    @Test
    void aRunIsAFunctionOfItsSeed() {
        assertThat(traceOf(7)).isEqualTo(traceOf(7)).isNotEqualTo(traceOf(8));
    }

    private static long traceOf(long seed) {
        Simulation world = new Simulation(seed);
        SimCores cores = new SimCores(world, 3, host());
        SimLock spin = cores.lock(SimLock.Kind.SPIN);
        SimLock mutex = cores.lock(SimLock.Kind.MUTEX, 2);
        for (int i = 0; i < 6; i++) {
            SimRandom random = world.newRandom();
            SimLock lock = i % 2 == 0 ? spin : mutex;
            cores.start(
                    "t" + i,
                    self -> self.run(random.nextInt(700))
                            .acquire(lock)
                            .run(random.nextInt(200))
                            .release(lock)
                            .park(random.nextInt(300)));
        }
        world.runFor(200_000);
        assertThat(spin.contended()).isPositive();
        assertThat(mutex.contended()).isPositive();
        return world.trace().hash();
    }

    @Test
    void aThreadsTimeIsAccountedFor() {
        SimCores cores = cores(2);
        SimLock lock = cores.lock(SimLock.Kind.SPIN);
        List<SimThread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(cores.start(
                    "t" + i, self -> self.run(90).acquire(lock).run(60).release(lock)));
        }
        simulation.runFor(100_000);
        long waited = 0;
        long used = 0;
        for (SimThread thread : threads) {
            waited += thread.waitedForCoreNanos();
            used += thread.runNanos() + thread.waitedForLockNanos();
        }
        assertThat(used + cores.overheadNanos()).isEqualTo(200_000).isEqualTo(cores.busyNanos());
        // The third thread always waits: all the time of all threads is somewhere.
        assertThat(used + cores.overheadNanos() + waited).isEqualTo(300_000);
    }

    @Test
    void nonsenseIsRefused() {
        SimCores cores = cores(1);
        SimLock lock = cores.lock(SimLock.Kind.SPIN);
        assertThatThrownBy(() -> cores.lock(SimLock.Kind.SPIN, -1)).hasMessageContaining("-1 lines");
        assertThatThrownBy(() -> new SimCores(simulation, 0, host())).hasMessageContaining("0 cores");
        assertThatThrownBy(() -> new HostModel().quantum(0)).hasMessageContaining("quantum of 0");
        assertThatThrownBy(() -> new HostModel().line(-1)).hasMessageContaining("cache line -1");
        cores.start("a", self -> self.release(lock));
        assertThatThrownBy(() -> simulation.runFor(100)).hasMessageContaining("releases a lock of null");
    }

    @Test
    void aThreadThatDoesNothingOrTakesNoTimeIsRefused() {
        cores(1).start("a", self -> {});
        assertThatThrownBy(() -> simulation.runFor(100)).hasMessageContaining("told nothing to do");
        Simulation other = new Simulation(1);
        new SimCores(other, 1, host()).start("b", self -> self.run(0));
        assertThatThrownBy(() -> other.runFor(100)).hasMessageContaining("take no time");
    }

    @Test
    void copiesAndRegistrationsCrossWhereRdmaboxHasIt() {
        HostModel host = HostModel.virtualMachine();
        // 64 KiB at 7.8 GB/s; 16 pages.
        assertThat(host.copyNanos(65_536)).isEqualTo(8_402);
        assertThat(host.registrationNanos(65_536)).isEqualTo(12_000 + 16 * 473);
        assertThat(host.registrationNanos(1)).isEqualTo(12_473);
        assertThat(host.copyNanos(900 << 10)).isLessThan(host.registrationNanos(900 << 10));
        assertThat(host.copyNanos(960 << 10)).isGreaterThan(host.registrationNanos(960 << 10));
    }
}
