package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;

/** Figures 7 and 8: 1 MB a circle beside another flow, in one class and in two. */
final class CircleFigure extends PaperFigure {
    private static final int KIB = 1024;
    private static final int[] BACKGROUND = {0, 16 * KIB, 64 * KIB, 128 * KIB};
    private static final int AT_64_KIB = 2;
    private static final int MEGABYTE = 1024 * KIB;
    private static final int SINGLE = 16 * KIB;
    private static final int STRICT_MOST = 64 * KIB; // a strict message is no longer
    private static final double PAPER = -45;
    private static final double ACCEPTED = -25;

    /** How 1 MB is sent. */
    private enum Sender {
        WHOLE("native, posted at once", Way.OWN),
        SINGLE("native, 16 KiB after 16 KiB", Way.OWN),
        PRINTED("Avatar, RR", Way.ROUND_ROBIN),
        MUX("mux", Way.MUX);

        final String title;
        final Way way;

        Sender(String title, Way way) {
            this.title = title;
            this.way = way;
        }
    }

    private static final Sender[] SENDERS = Sender.values();

    private final boolean strict;
    private final boolean oneByOne;

    /** Figure 7: both flows are strict, or neither; the caption says "w/o PRI". */
    static CircleFigure figure7() {
        return new CircleFigure("7", false, false);
    }

    /** Figure 8: the foreground is strict; the caption says "w/ PRI". */
    static CircleFigure figure8() {
        return new CircleFigure("8", true, false);
    }

    private CircleFigure(String id, boolean strict, boolean oneByOne) {
        super(
                id,
                "Figure " + id + ": 1 MB a circle beside another flow, "
                        + (strict ? "{Strict, ETS}" : "{Strict, Strict}"));
        this.strict = strict;
        this.oneByOne = oneByOne;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("16 KiB after 16 KiB in place of Avatar", new CircleFigure(id(), strict, true)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("foreground", "1 MiB a circle, up to 5 us apart")
                .setting(
                        "native",
                        strict
                                ? "at once as 16 requests of 64 KiB, the longest strict message"
                                : "at once as one request")
                .setting("background", "one flow, 2 messages under way")
                .setting("card", "a message in turn, strict class first")
                .setting("seed", String.valueOf(seed));
        Sweep times = new Sweep(
                List.of(SENDERS).stream().map(each -> each.title).toList(),
                Sweep.points(BACKGROUND, KIB),
                "us",
                (sender, at) -> micros(SENDERS[sender], BACKGROUND[at], seed, size));
        for (Sender shared : List.of(Sender.PRINTED, Sender.MUX)) {
            report.claim(claim(shared, Sender.WHOLE, times)).claim(claim(shared, Sender.SINGLE, times));
        }
        return report.table(times.table("Mean time of 1 MiB", "background", "KiB"))
                .plot(times.plot(new PaperPlot(
                        "avatar-figure-" + id(), "1 MiB beside another flow", "KiB of the other's messages", "us")))
                .note("The captions of figures 7 and 8 say w/o and w/ PRI, the text the reverse; here the"
                        + " settings are named."
                        + " A background of 0 KiB is none.")
                .note("The paper has the gain from requests that the NIC processes in a pipeline. The"
                        + " simulated NIC sends"
                        + " the packets of one request as close to each other as those of several, so"
                        + " there is none to"
                        + " be had over a request that is posted whole; there is over requests one"
                        + " after the other.");
    }

    private double micros(Sender sender, int background, long seed, Size size) {
        Sender plays = oneByOne ? Sender.SINGLE : sender;
        int bytes = switch (plays) {
            case WHOLE -> strict ? STRICT_MOST : MEGABYTE;
            case SINGLE -> SINGLE;
            default -> MEGABYTE;
        };
        int messages = MEGABYTE / bytes;
        Beside run = new Beside(plays.way, bytes)
                .circle(messages, plays == Sender.SINGLE ? 1 : messages)
                .urgent(strict)
                .depth(2);
        return (background == 0 ? run.flows(1, 0) : run.background(background))
                .run(seed, size)
                .meanMicros();
    }

    private Claim claim(Sender shared, Sender by, Sweep times) {
        double change = (times.at(shared.ordinal(), AT_64_KIB) / times.at(by.ordinal(), AT_64_KIB) - 1) * 100;
        String ifNot = by == Sender.WHOLE
                ? "this NIC pipelines the packets of one request, so that segments gain nothing"
                        + (strict
                                ? ""
                                : ", and turns by segments give the other flow the half that a request of 1 MiB"
                                        + " takes from it")
                : "what the Worker adds to each segment is as long as a round trip";
        return Claim.judged(
                        id()
                                + '.'
                                + (shared == Sender.MUX ? "mux" : "printed")
                                + (by == Sender.WHOLE ? ".whole" : ".single"),
                        shared.title + " against " + by.title + ", beside 64 KiB",
                        PAPER,
                        "%",
                        change,
                        change <= ACCEPTED,
                        ifNot)
                .accepting("≤ " + Numbers.text(ACCEPTED, "%"));
    }
}
