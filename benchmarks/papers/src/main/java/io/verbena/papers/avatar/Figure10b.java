package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** Figures 10b and 10c: real time, and processor time in user space and in the kernel, of a transfer by 1 MiB. */
final class Figure10b extends PaperFigure {
    private static final int[] FULL = {16, 64, 256}; // messages
    private static final int[] QUICK = {2, 4, 8};
    private static final List<Way> WAYS = List.of(Way.OWN, Way.EVENT, Way.ROUND_ROBIN, Way.MUX);
    private static final int BUSY = 0;
    private static final int EVENT = 1;
    private static final int PRINTED = 2;
    private static final int MUX = 3;
    private static final double TOLERANCE = 1.05;
    private static final double KERNEL = 9.2; // 3.4 s by 0.37 s
    private static final String ACCEPTED = "≤ 1.05 x";

    private final UnaryOperator<Way> played;

    Figure10b() {
        this(UnaryOperator.identity());
    }

    private Figure10b(UnaryOperator<Way> played) {
        super("10b", "Figures 10b and 10c: real time and processor time of a transfer by 1 MiB");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation(
                        "native by events in place of polling", new Figure10b(way -> swap(way, Way.OWN, Way.EVENT))),
                new Mutation("Avatar by polling", new Figure10b(way -> way.isShared() ? Way.OWN : way)),
                new Mutation(
                        "eventfd and epoll for both", new Figure10b(way -> way == Way.MUX ? Way.ROUND_ROBIN : way)),
                new Mutation("native by a Worker", new Figure10b(way -> swap(way, Way.EVENT, Way.ROUND_ROBIN))));
    }

    private static Way swap(Way way, Way one, Way other) {
        return way == one ? other : way == other ? one : way;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int[] messages = size == Size.FULL ? FULL : QUICK;
        List<List<Transfer>> all = new ArrayList<>();
        for (Way way : WAYS) {
            List<Transfer> of = new ArrayList<>();
            for (int count : messages) {
                of.add(Transfer.run(played.apply(way), count, seed));
            }
            all.add(of);
        }
        List<Transfer> last = all.stream().map(of -> of.get(of.size() - 1)).toList();
        FigureReport report = new FigureReport(id(), title())
                .setting("messages", "1 MiB, one at a time, on one connection")
                .setting(
                        "transfers",
                        "of up to " + messages[messages.length - 1] + " MiB; the paper's are of 1, 10 and 100 GB")
                .setting("sender", "natively polls or waits for an event; a Worker's connection sleeps until woken")
                .setting("seed", String.valueOf(seed));
        judge(report, last);
        return report.table(table(messages, all))
                .plot(plot(messages, all, "avatar-figure-10b", "Real time", Transfer::realNanos))
                .plot(plot(messages, all, "avatar-figure-10c", "Time in user space", Transfer::userNanos))
                .plot(plot(messages, all, "avatar-figure-10c-kernel", "Time in the kernel", Transfer::kernelNanos))
                .note("What it takes to open and to close is no part of it: the paper finds that Avatar takes more real"
                        + " time for 1 GB because of that.");
    }

    private static void judge(FigureReport report, List<Transfer> last) {
        report.claim(atMost(
                        "10b.printed.real",
                        "Avatar, RR: real time, by that of polling; the paper says less from 10 GB on",
                        ratio(last, PRINTED, BUSY, Transfer::realNanos),
                        "segments gain nothing over one request whose packets the simulated NIC pipelines already, and"
                                + " the Worker's steps come on top"))
                .claim(atMost(
                        "10b.mux.real",
                        "mux: real time, by that of polling",
                        ratio(last, MUX, BUSY, Transfer::realNanos),
                        "the thread that sleeps is woken late, as it is by events, and the Worker moves segment"
                                + " after segment"))
                .claim(between(last))
                .claim(kernel(last))
                .claim(atMost(
                        "10c.printed.total",
                        "Avatar, RR: user and kernel time, by that of polling",
                        ratio(last, PRINTED, BUSY, Transfer::busyNanos),
                        "the Worker polls as the native thread does, and the system calls come on top"))
                .claim(atMost(
                        "10c.mux.total",
                        "mux: user and kernel time, by that of polling",
                        ratio(last, MUX, BUSY, Transfer::busyNanos),
                        "the Worker polls as the native thread does, and a thread is woken for each message"))
                .claim(Claim.judged(
                                "10c.mux.kernel",
                                "mux: kernel time, by that of Avatar as printed: a list in place of eventfd and epoll",
                                "x",
                                ratio(last, MUX, PRINTED, Transfer::kernelNanos),
                                ratio(last, MUX, PRINTED, Transfer::kernelNanos) <= 1.0 / 2,
                                "a thread that sleeps is woken for each message by both")
                        .accepting("≤ 0.5 x"));
    }

    private static Claim between(List<Transfer> last) {
        long printed = last.get(PRINTED).userNanos();
        return Claim.judged(
                        "10c.printed.user",
                        "Avatar, RR: user time, by that of polling; less than that, and more than by events",
                        "x",
                        ratio(last, PRINTED, BUSY, Transfer::userNanos),
                        printed < last.get(BUSY).userNanos()
                                && printed > last.get(EVENT).userNanos(),
                        "the Worker polls all the time")
                .accepting("between");
    }

    private static Claim kernel(List<Transfer> last) {
        return Claim.judged(
                        "10c.printed.kernel",
                        "Avatar, RR: kernel time, by that of events, of which polling has less",
                        KERNEL,
                        "x",
                        ratio(last, PRINTED, EVENT, Transfer::kernelNanos),
                        last.get(PRINTED).kernelNanos() > last.get(EVENT).kernelNanos()
                                && last.get(EVENT).kernelNanos()
                                        > last.get(BUSY).kernelNanos(),
                        "epoll takes less than an interrupt")
                .accepting("> 1 x");
    }

    private static Claim atMost(String id, String text, double ratio, String ifNot) {
        return Claim.judged(id, text, "x", ratio, ratio <= TOLERANCE, ifNot).accepting(ACCEPTED);
    }

    private static double ratio(List<Transfer> all, int one, int other, ToLongFunction<Transfer> what) {
        return (double) what.applyAsLong(all.get(one)) / what.applyAsLong(all.get(other));
    }

    private static DataTable table(int[] messages, List<List<Transfer>> all) {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            for (int way = 0; way < WAYS.size(); way++) {
                Transfer of = all.get(way).get(i);
                rows.add(List.of(
                        Numbers.text(messages[i], "MiB"),
                        WAYS.get(way).title(),
                        millis(of.realNanos()),
                        millis(of.userNanos()),
                        millis(of.kernelNanos())));
            }
        }
        return new DataTable("Times", List.of("transfer", "way", "real", "user", "kernel"), rows);
    }

    private static String millis(long nanos) {
        return Numbers.text(nanos / 1e6, "ms");
    }

    private static PaperPlot plot(
            int[] messages, List<List<Transfer>> all, String name, String title, ToLongFunction<Transfer> what) {
        PaperPlot plot = new PaperPlot(name, title, "MiB", "ms").logarithmicX().logarithmicY();
        for (int way = 0; way < WAYS.size(); way++) {
            List<Double> values = new ArrayList<>();
            for (Transfer each : all.get(way)) {
                values.add(Math.max(1e-3, what.applyAsLong(each) / 1e6));
            }
            plot.line(WAYS.get(way).title(), Sweep.points(messages, 1), values, way);
        }
        return plot;
    }
}
