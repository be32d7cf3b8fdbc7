package io.verbena.papers.drum;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figure 2a: 1 KB messages one after the other beside an application that posts batches of 20 to 100. */
final class Figure2a extends PaperFigure {
    private static final int[] BATCHES = {20, 40, 60, 80, 100};
    private static final int FOREGROUND = 1024;
    private static final long WARM_UP_NANOS = 150_000;
    private static final long FULL_NANOS = 3_000_000;
    private static final long QUICK_NANOS = 200_000;
    private static final long LOOK_NANOS = 200; // of the background at its completions
    private static final double PAPER_FIRST = 19.8;
    private static final double PAPER_LAST = 74.3;
    private static final double ACCEPTED = 2.5;

    /** A card: who has the next turn, and how many connections the background's batches are spread over. */
    private enum Card {
        PACKETS("one connection, a packet in turn", Discipline.PACKET_ROUND_ROBIN, false),
        MESSAGES("one connection, a message in turn", Discipline.WHOLE_MESSAGES, false),
        SPREAD("a connection a request, a packet in turn", Discipline.PACKET_ROUND_ROBIN, true);

        final String title;
        final Discipline discipline;
        final boolean isSpread;

        Card(String title, Discipline discipline, boolean isSpread) {
            this.title = title;
            this.discipline = discipline;
            this.isSpread = isSpread;
        }
    }

    private final int background; // bytes of its requests
    private final boolean grows; // whether batches do

    Figure2a() {
        this(4096, true);
    }

    private Figure2a(int background, boolean grows) {
        super("2a", "Figure 2a: 1 KB messages beside batches of 20 to 100 requests");
        this.background = background;
        this.grows = grows;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("batches stay at 20", new Figure2a(background, false)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("link", "40 Gb/s, packets of 4 KiB")
                .setting("NIC", "NicModel.infiniband40")
                .setting("foreground", "WRITEs of 1 KiB, one under way")
                .setting("background", "WRITEs of " + background + " B, two batches under way; the paper does not say")
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-2a", "1 KB beside batches", "requests of a batch", "us, 80 %");
        List<List<String>> rows = new ArrayList<>();
        for (Card card : Card.values()) {
            List<Double> micros = new ArrayList<>();
            List<Double> batches = new ArrayList<>();
            for (int batch : BATCHES) {
                Samples samples = samples(card, grows ? batch : BATCHES[0], seed, size);
                micros.add(samples.micros(80));
                batches.add((double) batch);
                rows.add(List.of(
                        card.title,
                        String.valueOf(batch),
                        Numbers.text(samples.micros(50), "us"),
                        Numbers.text(samples.micros(80), "us"),
                        Numbers.text(samples.micros(99), "us")));
            }
            plot.line(card.title, batches, micros, card.ordinal());
            claim(report, card, micros);
        }
        return report.table(new DataTable(
                        "Time from the post to the completion, of the foreground",
                        List.of("background", "batch", "50 %", "80 %", "99 %"),
                        rows))
                .plot(plot)
                .note("Where one connection posts all batches, a card that takes connections in turn makes"
                        + " the foreground wait for what is in its pipeline already, 64 KiB, and no more. A"
                        + " request of 4 KiB is one packet, so a packet and a message in turn are the same."
                        + " Only where each request of a batch has a connection of its own do batches add to"
                        + " its wait.");
    }

    private static void claim(FigureReport report, Card card, List<Double> micros) {
        String name = card.name().toLowerCase(Locale.ROOT);
        double ratio = micros.get(micros.size() - 1) / micros.get(0);
        report.claim(Claim.judged(
                        "2a." + name,
                        card.title + ": the 80 % time beside batches of 100, by that beside batches of 20",
                        PAPER_LAST / PAPER_FIRST,
                        "x",
                        ratio,
                        ratio >= ACCEPTED,
                        "the foreground's connection has its turn after one request or packet of the other, however"
                                + " many wait there")
                .accepting("≥ " + Numbers.text(ACCEPTED, "x")));
    }

    private Samples samples(Card card, int batch, long seed, Size size) {
        int connections = card.isSpread ? batch : 1;
        DrumWorld world =
                new DrumWorld(seed, ArbiterSettings.defaults().withDiscipline(card.discipline), connections + 1);
        DrumWorld.Tenant tenant = world.tenant("all");
        RequestLoop foreground = loop(world, tenant, FOREGROUND, 1, 1, 0);
        for (int i = 0; i < connections; i++) {
            loop(world, tenant, background, batch / connections, 2, LOOK_NANOS);
        }
        world.simulation.runFor(WARM_UP_NANOS);
        foreground.record();
        world.simulation.runFor(size == Size.FULL ? FULL_NANOS : QUICK_NANOS);
        return foreground.samples();
    }

    private static RequestLoop loop(
            DrumWorld world, DrumWorld.Tenant tenant, int bytes, int batch, int ahead, long restNanos) {
        RequestLoop loop = new RequestLoop(world, world.connect(tenant, batch * ahead), bytes, batch, ahead, restNanos);
        world.cores.start("loop", loop);
        return loop;
    }
}
