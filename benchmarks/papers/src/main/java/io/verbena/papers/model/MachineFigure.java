package io.verbena.papers.model;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Cores;
import io.verbena.bench.cores.LineProbe;
import io.verbena.bench.report.Machine;
import io.verbena.nic.sim.SimLock;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The model of a host beside this machine: what it says of waiting, locks and doorbells, with the constants of
 * {@link io.verbena.nic.sim.HostModel#virtualMachine} and this machine's cache line, and what two threads here take.
 */
final class MachineFigure extends PaperFigure {
    private static final long FULL_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int FULL_ROUNDS = 20_000;
    private static final int QUICK_ROUNDS = 2_000;
    private static final double MAX_LINE_NANOS = 1_000; // two cores of this run's own are well below
    private static final double TOLERANCE = 0.30;
    private static final int FEW = 1;
    private static final int SOME = 4;
    private static final int MANY = 16;

    private final List<List<String>> rows = new ArrayList<>();

    MachineFigure() {
        super("machine", "The model of a host beside this machine");
    }

    @Override
    public boolean isRepeatable() {
        return false;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        rows.clear();
        FigureReport report = new FigureReport(id(), title())
                .setting("machine", Machine.here().text());
        List<Integer> pinnable = Cores.pinnable();
        if (pinnable.size() < 2) {
            return report.note("Nothing is measured: " + Cores.whyNot().orElse("there is one core") + '.');
        }
        CorePair two = CorePair.of(pinnable, 1);
        CorePair one = new CorePair(two.near(), two.near());
        report.setting("cores", two.text());
        long span = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        double line = line(two);
        if (line > MAX_LINE_NANOS) {
            return report.note("Void: a cache line took " + Numbers.text(line, "ns")
                    + " there and back, so others use the cores. To be run when nothing else does.");
        }
        Predictions model = new Predictions(Math.round(line / 2));
        input("a cache line there and back", line);
        waiting(report, model, two, one, span);
        locks(report, model, two, span);
        doorbells(report, new DoorbellBatches(size == Size.FULL ? FULL_ROUNDS : QUICK_ROUNDS));
        double after = line(two);
        report.table(new DataTable(
                "The model and this machine", List.of("what", "model", "measured", "error"), List.copyOf(rows)));
        return report.note("The cache line is probed before and after: " + Numbers.text(line, "ns") + " and "
                        + Numbers.text(after, "ns")
                        + ". Where the two differ by half the cores have moved, and the run is to be repeated.")
                .note("All but the line's time, one thread's hold of the lock and the ends of the batches are constants"
                        + " of HostModel.virtualMachine.");
    }

    private static double line(CorePair cores) {
        try (LineProbe probe = new LineProbe(cores)) {
            return probe.nanos();
        }
    }

    private void waiting(FigureReport report, Predictions model, CorePair two, CorePair one, long span) {
        judge(
                report,
                "machine.spin",
                "a round trip of two threads that spin, a line each way",
                model.spinning(),
                new BellRoundTrip(two, span).nanos(BellRoundTrip::spinning),
                "the hardware moves the line while the store is still in its buffer");
        judge(
                report,
                "machine.park",
                "a round trip of two threads that park, on two cores",
                model.sleeping(2, 0),
                new BellRoundTrip(two, span).nanos(BellRoundTrip::parking),
                "how deeply an idle core sleeps, and whether the host has given it away, is not in the model");
        judge(
                report,
                "machine.park.one",
                "a round trip of two threads that park, on one core",
                model.sleeping(1, 0),
                new BellRoundTrip(one, span).nanos(BellRoundTrip::parking),
                "another process wants the core, or the caches are cold after each switch");
        judge(
                report,
                "machine.event",
                "a round trip of two threads that wait for an eventfd, on two cores",
                model.sleeping(2, 1),
                new BellRoundTrip(two, span).nanos(BellRoundTrip::selecting),
                "how deeply an idle core sleeps, and whether the host has given it away, is not in the model");
    }

    private void locks(FigureReport report, Predictions model, CorePair two, long span) {
        LockedRing ring = new LockedRing(two, span);
        for (boolean spins : new boolean[] {true, false}) {
            SimLock.Kind kind = spins ? SimLock.Kind.SPIN : SimLock.Kind.MUTEX;
            String name = spins ? "a spin lock" : "a mutex";
            double alone = ring.nanos(1, spins);
            input("a post into a send ring behind " + name + ", one thread", alone);
            judge(
                    report,
                    spins ? "machine.spinlock" : "machine.mutex",
                    "a post into a send ring behind " + name + ", two threads",
                    model.locked(2, kind, LockedRing.DATA_LINES, Math.max(1, Math.round(alone))),
                    ring.nanos(2, spins),
                    "whoever releases the lock is often the one that has it next, as its core has the line: the model"
                            + " hands it over each time");
        }
    }

    private void doorbells(FigureReport report, DoorbellBatches batches) {
        double few = batches.nanos(FEW);
        double many = batches.nanos(MANY);
        input("a post and a doorbell", few);
        input(MANY + " posts and a doorbell, each", many / MANY);
        double post = (many - few) / (MANY - FEW);
        double doorbell = few - FEW * post;
        judge(
                report,
                "machine.doorbell",
                SOME + " posts and a doorbell, each",
                (SOME * post + doorbell) / SOME,
                batches.nanos(SOME) / SOME,
                "the first posts find other lines out of the cache than those that follow");
    }

    private void input(String what, double measured) {
        rows.add(List.of(what, "input", Numbers.text(measured, "ns"), ""));
    }

    private void judge(FigureReport report, String id, String what, double predicted, double measured, String why) {
        double error = predicted / measured - 1;
        rows.add(List.of(
                what, Numbers.text(predicted, "ns"), Numbers.text(measured, "ns"), Numbers.text(error * 100, "%")));
        report.claim(Claim.judged(
                id, what + ": the model errs by 30 % at most", "%", error * 100, Math.abs(error) <= TOLERANCE, why));
    }
}
