package io.verbena.papers.rdmabox;

import io.verbena.nic.poll.Polling;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostPoller;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.Replacement;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Figure 9: an application that pages to more and more peers, one queue pair each, and who takes the completions. In
 * the paper, busy polling does best with up to 4 peers, which says that the application leaves 4 of the 32 cores idle:
 * so it has 28 threads here.
 */
final class Figure9 extends PaperFigure {
    private static final int[] PEERS = {1, 2, 4, 8, 16};
    private static final int[] FEW_PEERS = {4, 8, 16};
    private static final int THREADS = BoxWorld.CORES - 4;
    private static final int SEND_DEPTH = 512;
    private static final int POLLERS = 4;
    private static final int MANY = 8;
    private static final long COMPUTE_NANOS = 200_000;
    private static final long REST_NANOS = 1_000;
    private static final long FULL_NANOS = 20_000_000; // after half as long
    private static final long QUICK_NANOS = 2_000_000;
    private static final String IDLE = "that the application leaves 4 cores idle is an input";
    private static final double SAME = 0.98; // differences that are chance
    private static final double COLLAPSED = 0.9;
    private static final double LITTLE = 1.1;

    private enum Way {
        BUSY("busy", Polling.busy()),
        EVENT("event", Polling.event()),
        EVENT_BATCH("event batch of 128", Polling.eventBatch(128)),
        SCQ_1("SCQ(1)", Polling.sharedCq(1)),
        SCQ_4("SCQ(4)", Polling.sharedCq(POLLERS)),
        ADAPTIVE("adaptive, 120 looks", Polling.adaptive());

        final String title;
        final Polling polling;

        Way(String title, Polling polling) {
            this.title = title;
            this.polling = polling;
        }
    }

    /** Thousand faults a second, and the part of the host's cores that was busy. */
    private record Point(double rate, double cores) {}

    private final int threads;
    private final Way adaptive; // what is taken for adaptive polling
    private final boolean isHandedOn; // who takes completions does nothing with them

    Figure9() {
        this(THREADS, Way.ADAPTIVE, false);
    }

    private Figure9(int threads, Way adaptive, boolean isHandedOn) {
        super("9", "Figure 9: an application that pages to many peers");
        this.threads = threads;
        this.adaptive = adaptive;
        this.isHandedOn = isHandedOn;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("the application has 8 threads", new Figure9(8, Way.ADAPTIVE, false)),
                new Mutation("adaptive polling never sleeps", new Figure9(THREADS, Way.BUSY, false)),
                new Mutation("completions are not processed", new Figure9(THREADS, Way.ADAPTIVE, true)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int[] peers = size == Size.FULL ? PEERS : FEW_PEERS;
        FigureReport report = new FigureReport(id(), title())
                .setting(
                        "application",
                        threads + " threads on " + BoxWorld.CORES
                                + " cores, which compute for 0 to 400 us between faults; the paper does not say")
                .setting("a fault", "8 READs of 4 KiB at a peer drawn at random, a quarter after as many WRITEs (SYS)")
                .setting("completions", "who takes one copies its page, and wakes the thread with its last")
                .setting("posts", "single requests, no lock")
                .setting("busy polling", "looks every us when there is nothing")
                .setting("seed", String.valueOf(seed));
        List<Double> counts = new ArrayList<>();
        for (int count : peers) {
            counts.add((double) count);
        }
        PaperPlot rates = new PaperPlot("rdmabox-figure-9", "Faults", "peers", "thousand a second");
        PaperPlot cores = new PaperPlot("rdmabox-figure-9-cores", "Cores in use", "peers", "%");
        Way[] ways = Way.values();
        List<Point> all = IntStream.range(0, ways.length * peers.length) // each a world of its own
                .parallel()
                .mapToObj(i -> {
                    Way way = ways[i / peers.length];
                    return point(way == Way.ADAPTIVE ? adaptive : way, peers[i % peers.length], seed, size);
                })
                .toList();
        Map<Way, List<Point>> points = new EnumMap<>(Way.class);
        List<List<String>> rows = new ArrayList<>();
        for (Way way : ways) {
            List<Point> mine = all.subList(way.ordinal() * peers.length, (way.ordinal() + 1) * peers.length);
            for (int i = 0; i < peers.length; i++) {
                rows.add(List.of(
                        way.title,
                        String.valueOf(peers[i]),
                        Numbers.text(mine.get(i).rate),
                        Numbers.text(100 * mine.get(i).cores, "%")));
            }
            points.put(way, mine);
            rates.line(way.title, counts, mine.stream().map(Point::rate).toList(), way.ordinal());
            cores.line(
                    way.title,
                    counts,
                    mine.stream().map(each -> 100 * each.cores).toList(),
                    way.ordinal());
        }
        claims(report, peers, points);
        return report.table(new DataTable(
                        "Ways to take completions",
                        List.of("way", "peers", "thousand faults a second", "cores in use"),
                        rows))
                .plot(rates)
                .plot(cores)
                .note("A run counts about 2,500 faults: differences of 2 % are chance.");
    }

    private static double rate(Map<Way, List<Point>> points, Way way, int at) {
        return points.getOrDefault(way, List.of()).get(at).rate;
    }

    /** By the best of all others. */
    private static double byOthers(Map<Way, List<Point>> points, Way way, int at) {
        double best = 0;
        for (Way other : Way.values()) {
            best = other == way ? best : Math.max(best, rate(points, other, at));
        }
        return rate(points, way, at) / best;
    }

    private static void claims(FigureReport report, int[] peers, Map<Way, List<Point>> points) {
        int last = peers.length - 1;
        double few = Double.MAX_VALUE;
        double shared = 0;
        int four = 0;
        for (int i = 0; i <= last; i++) {
            if (peers[i] <= POLLERS) {
                four = i;
                few = Math.min(few, byOthers(points, Way.BUSY, i));
            }
            if (peers[i] >= MANY) {
                shared = Math.max(shared, rate(points, Way.SCQ_1, i) / rate(points, Way.EVENT, i));
            }
        }
        report.claim(Claim.judged(
                                "9.busy.few",
                                "up to 4 peers busy polling does best, or as well: its rate by the best of others, the"
                                        + " least",
                                "x",
                                few,
                                few >= SAME,
                                "others lose little time to wake-ups, beside what the application computes")
                        .accepting("≥ " + Numbers.text(SAME, "x"))
                        .but(IDLE))
                .claim(Claim.judged(
                                "9.busy.many",
                                "busy polling collapses: its rate with 16 peers by that with 4",
                                "x",
                                rate(points, Way.BUSY, last) / rate(points, Way.BUSY, four),
                                rate(points, Way.BUSY, last) <= COLLAPSED * rate(points, Way.BUSY, four),
                                "there are cores enough")
                        .accepting("≤ " + Numbers.text(COLLAPSED, "x"))
                        .but(IDLE));
        others(report, last, shared, points);
    }

    private static void others(FigureReport report, int last, double shared, Map<Way, List<Point>> points) {
        report.claim(Claim.judged(
                                "9.shared",
                                "from 8 peers on SCQ(1) is slower than event: its rate by that, the most",
                                "x",
                                shared,
                                shared < 1,
                                "one thread that is never woken is enough for what all peers send")
                        .accepting("< 1 x"))
                .claim(Claim.judged(
                                "9.shared.more",
                                "more shared queues do not help much: SCQ(4) by SCQ(1) with 16 peers",
                                "x",
                                rate(points, Way.SCQ_4, last) / rate(points, Way.SCQ_1, last),
                                rate(points, Way.SCQ_4, last) <= LITTLE * rate(points, Way.SCQ_1, last),
                                "one thread was what was short")
                        .accepting("≤ " + Numbers.text(LITTLE, "x")))
                .claim(Claim.judged(
                                "9.adaptive",
                                "with 16 peers adaptive polling does best, or as well: its rate by the best of others",
                                "x",
                                byOthers(points, Way.ADAPTIVE, last),
                                byOthers(points, Way.ADAPTIVE, last) >= SAME,
                                "with cores to spare for four threads that are never woken, SCQ(4) does better")
                        .accepting("≥ " + Numbers.text(SAME, "x")));
        double more = points.getOrDefault(Way.ADAPTIVE, List.of()).get(last).cores
                / points.getOrDefault(Way.EVENT, List.of()).get(last).cores;
        report.claim(Claim.judged(
                        "9.adaptive.cores",
                        "adaptive polling needs slightly more of the cores than event, with 16 peers",
                        "x",
                        more,
                        more >= 1 && more <= LITTLE,
                        "who sleeps at once is woken more often")
                .accepting("1 x to " + Numbers.text(LITTLE, "x")));
    }

    private Point point(Way way, int peers, long seed, Size size) {
        BoxWorld world = new BoxWorld(
                seed,
                BoxWorld.card(BoxWorld.WQES, Replacement.LRU),
                BoxWorld.CORES,
                peers,
                FaultThread.PAGE * BoxWorld.CORES);
        int queues = Math.min(peers, way.polling.maxAwake() > 1 || way == Way.SCQ_1 ? way.polling.maxAwake() : peers);
        List<HostCompletionQueue> completions = new ArrayList<>();
        for (int i = 0; i < queues; i++) {
            completions.add(world.completions());
        }
        List<HostQueuePair> qps = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
            qps.add(world.connect(i, completions.get(i % queues), SEND_DEPTH));
        }
        List<FaultThread> faulting = new ArrayList<>();
        for (HostCompletionQueue each : completions) {
            HostPoller poller = BoxWorld.poller(
                    world.cores,
                    each,
                    way.polling,
                    REST_NANOS,
                    (by, limit) -> each.poll(
                            by,
                            completion -> faulting.get((int) completion.wrId()).ended(completion, by, isHandedOn),
                            limit));
            world.cores.start("poller", poller);
        }
        for (int i = 0; i < threads; i++) {
            FaultThread thread = new FaultThread(world, qps, i, COMPUTE_NANOS);
            faulting.add(thread);
            world.cores.start("application " + i, thread);
        }
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        world.simulation.runFor(nanos / 2);
        long before = faulting.stream().mapToLong(FaultThread::faults).sum();
        long busy = world.cores.busyNanos();
        world.simulation.runFor(nanos);
        long done = faulting.stream().mapToLong(FaultThread::faults).sum() - before;
        return new Point(done * 1e6 / nanos, (world.cores.busyNanos() - busy) / ((double) nanos * BoxWorld.CORES));
    }
}
