package io.verbena.papers.palos;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.baseline.Arbiters;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;

/**
 * What scheduling costs on this machine: a visit among few flows and among many, and a change of a weight among 22,000,
 * for which a table of all chunks would take 220 us (IV-B). No links, no packets: the arbiter alone.
 */
final class WeightCost extends PaperFigure {
    private static final int[] FLOWS = {10, 100, 1_000, 10_000};
    private static final int GROUPS = 10;
    private static final int PACKET = 1024 + 16 + PalosWorld.FRAMING;
    private static final int MANY = 22_000;
    private static final int MANY_GROUPS = 22;
    private static final double PAPER_TABLE_MICROS = 220;
    private static final double MAX_MICROS = 10;
    private static final double MAX_GROWTH = 4;
    private static final List<Discipline> DISCIPLINES = List.of(
            Discipline.CHUNKS,
            Discipline.DEFICIT_ROUND_ROBIN,
            Discipline.PALOS_AS_PRINTED,
            Discipline.PACKET_ROUND_ROBIN,
            Discipline.VIRTUAL_LANES);

    WeightCost() {
        super("cost", "What scheduling costs on this machine");
    }

    @Override
    public boolean isRepeatable() {
        return false;
    }

    private static final class BareFlow extends Flow {
        BareFlow(FlowGroup group, int weight) {
            super(group);
            configure(weight, trafficClass());
        }
    }

    /** An arbiter with flows that all have work. */
    private static final class Schedule {
        final Arbiter arbiter;
        final List<FlowGroup> groups = new ArrayList<>();
        final List<Flow> flows = new ArrayList<>();

        Schedule(Discipline discipline, int groupCount, int flowCount) {
            ArbiterSettings settings = Disciplines.AS_NAMED.settings(discipline);
            arbiter = Arbiters.create(settings, 0, 1, SystemNanoClock.INSTANCE);
            OutputQueue output = new OutputQueue();
            for (int i = 0; i < groupCount; i++) {
                groups.add(new FlowGroup(i, 1 + i, 1));
            }
            for (int i = 0; i < flowCount; i++) {
                Flow flow = new BareFlow(groups.get(i % groupCount), 1 + i % 3);
                arbiter.attach(flow, output);
                arbiter.active(flow);
                flows.add(flow);
            }
        }

        /** Serves visits, each as many packets as it is granted. Returns the bytes. */
        long serve(int visits) {
            long bytes = 0;
            for (int i = 0; i < visits; i++) {
                Flow flow = arbiter.next();
                if (flow == null) {
                    throw new IllegalStateException("nobody is served");
                }
                int sent = 0;
                do {
                    sent += PACKET;
                } while (sent < flow.budget() && !flow.sendsOnePacket());
                arbiter.charge(flow, sent, 1, 0);
                arbiter.active(flow);
                bytes += sent;
            }
            return bytes;
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("groups", "10 with weights 1 to 10; 22 for 22,000 flows")
                .setting("seed", String.valueOf(seed));
        visits(report, size == Size.FULL ? 4_000_000 : 400_000);
        changes(report, seed, size == Size.FULL ? 1_000_000 : 100_000);
        report.note("Measured once, in one process, with whatever else ran: orders of magnitude.");
        return report;
    }

    private static void visits(FigureReport report, int count) {
        List<List<String>> rows = new ArrayList<>();
        for (Discipline discipline : DISCIPLINES) {
            List<String> row = new ArrayList<>();
            row.add(Disciplines.title(discipline));
            double first = 0;
            double last = 0;
            for (int flows : FLOWS) {
                Schedule schedule = new Schedule(discipline, GROUPS, flows);
                schedule.serve(count / 2);
                long start = System.nanoTime();
                long bytes = schedule.serve(count);
                long nanos = System.nanoTime() - start;
                last = nanos / (double) count;
                first = flows == FLOWS[0] ? last : first;
                row.add(Numbers.text(last) + " / " + Numbers.text(nanos * 1024.0 / bytes));
            }
            rows.add(row);
            if (discipline == Discipline.CHUNKS) {
                report.claim(Claim.judged(
                                "cost.visit",
                                "a visit among 10,000 flows costs what one among 10 does: times as much, at most 4",
                                "x",
                                last / first,
                                last <= MAX_GROWTH * first,
                                "it grows with the number of flows")
                        .but("the same steps; the state of 10,000 flows is not in the nearest cache"));
            }
        }
        report.table(new DataTable(
                "ns a visit / ns a KiB, by flows that have work",
                List.of("discipline", "10", "100", "1,000", "10,000"),
                rows));
    }

    private static void changes(FigureReport report, long seed, int count) {
        Schedule schedule = new Schedule(Discipline.CHUNKS, MANY_GROUPS, MANY);
        SplittableRandom random = new SplittableRandom(seed);
        double ofFlow = 0;
        double ofGroup = 0;
        double ofTable = 0;
        for (int round = 0; round < 2; round++) { // the first warms up
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                Flow flow = schedule.flows.get(random.nextInt(MANY));
                int before = flow.weight();
                int weight = 1 + random.nextInt(100);
                flow.configure(weight, flow.trafficClass());
                schedule.arbiter.changed(flow, before, weight, flow.trafficClass());
            }
            ofFlow = (System.nanoTime() - start) / (double) count;
            start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                FlowGroup group = schedule.groups.get(random.nextInt(MANY_GROUPS));
                group.weight(1 + random.nextInt(100));
                schedule.arbiter.changed(group);
            }
            ofGroup = (System.nanoTime() - start) / (double) count;
            ofTable = table(schedule, count / MANY + 10);
        }
        schedule.serve(MANY);
        report.claim(less("cost.flow", "a flow's weight changes among 22,000, in place of all chunks", ofFlow));
        report.claim(less("cost.group", "a group's weight changes", ofGroup));
        report.table(new DataTable(
                "A change among 22,000 flows in 22 groups",
                List.of("what", "time"),
                List.of(
                        List.of("weight of a flow", Numbers.text(ofFlow, "ns")),
                        List.of("weight of a group", Numbers.text(ofGroup, "ns")),
                        List.of("all chunks computed anew", Numbers.text(ofTable / 1e3, "us")))));
    }

    private static Claim less(String id, String text, double nanos) {
        return Claim.judged(
                id,
                text,
                PAPER_TABLE_MICROS,
                "us",
                nanos / 1e3,
                nanos / 1e3 <= MAX_MICROS,
                "more than an entry is written");
    }

    /** Time of computing the chunks of all flows (2), in nanoseconds. */
    private static double table(Schedule schedule, int times) {
        long[] chunks = new long[schedule.flows.size()];
        long[] sums = new long[schedule.groups.size()];
        long sumOfGroups = 0;
        for (FlowGroup group : schedule.groups) {
            sumOfGroups += group.weight();
        }
        for (Flow flow : schedule.flows) {
            sums[flow.group().index()] += flow.weight();
        }
        long total = chunks.length * 1500L;
        long check = 0;
        long start = System.nanoTime();
        for (int time = 0; time < times; time++) {
            for (int i = 0; i < chunks.length; i++) {
                Flow flow = schedule.flows.get(i);
                FlowGroup group = flow.group();
                chunks[i] = (total + time) * group.weight() * flow.weight() / (sumOfGroups * sums[group.index()]);
            }
            check += chunks[time % chunks.length];
        }
        long nanos = System.nanoTime() - start;
        if (check < 0) {
            throw new IllegalStateException("chunks of " + check + " bytes");
        }
        return nanos / (double) times;
    }
}
