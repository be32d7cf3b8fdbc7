package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A run: rounds over all fabrics and in all modes, in an order that follows from the seed, with hubs in this process
 * and in others. For one thread; a run is used once.
 */
public final class MessagesRun {
    private static final double MIN_ROUND = 0.4;
    private static final double MAX_ROUND = 3;
    private static final long PROGRESS_NANOS = 5_000_000_000L;
    private static final int KILL_ODDS = 3;

    private record Combination(FabricName fabric, NodeMode mode) {}

    private final MessagesSettings settings;
    private final PrintStream out;
    private final MessageContent content;
    private final Findings findings = new Findings();
    private final RunContext context;
    private final SplittableRandom random;
    private final Map<FabricName, Map<NodeMode, MessageTally>> tallies = new TreeMap<>();
    private final Map<FabricName, ProcessHost> processes = new EnumMap<>(FabricName.class);
    private final List<Combination> combinations = new ArrayList<>();
    private int hubs;
    private int rounds;
    private long begun;
    private long nextProgress;

    /**
     * Prepares a run.
     *
     * @param out takes a line each few seconds
     */
    public MessagesRun(MessagesSettings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
        this.content = new MessageContent(settings.seed());
        this.context = new RunContext(settings, content, findings, new AtomicInteger());
        this.random = new SplittableRandom(settings.seed());
        for (FabricName fabric : settings.fabrics()) {
            Map<NodeMode, MessageTally> modes = new EnumMap<>(NodeMode.class);
            settings.modes().forEach(mode -> modes.put(mode, new MessageTally()));
            tallies.put(fabric, modes);
        }
        combine();
    }

    /** Each fabric has a round before one has another: a short run is to see all of them. */
    private void combine() {
        Random order = new Random(settings.seed());
        List<FabricName> fabrics = new ArrayList<>(new TreeSet<>(settings.fabrics()));
        List<NodeMode> modes = new ArrayList<>(new TreeSet<>(settings.modes()));
        Collections.shuffle(fabrics, order);
        Collections.shuffle(modes, order);
        for (int lap = 0; lap < modes.size(); lap++) {
            for (int i = 0; i < fabrics.size(); i++) {
                combinations.add(new Combination(fabrics.get(i), modes.get((lap + i) % modes.size())));
            }
        }
    }

    /** Runs it, until the time is over or something is wrong. */
    public MessagesResult run() {
        Path folder;
        try {
            folder = Files.createTempDirectory("verbena-check");
        } catch (IOException e) {
            throw new RunException("no folder for sockets: " + e.getMessage(), e);
        }
        begun = System.nanoTime();
        nextProgress = begun + PROGRESS_NANOS;
        try {
            play(folder);
        } finally {
            processes.values().forEach(HubHost::close);
            delete(folder);
        }
        return new MessagesResult(settings, findings.first(), rounds, tallies);
    }

    private void play(Path folder) {
        long end = begun + (long) (settings.seconds() * 1e9);
        double each = Math.min(MAX_ROUND, Math.max(MIN_ROUND, settings.seconds() / combinations.size() * 0.5));
        while (findings.isClean() && (rounds == 0 || System.nanoTime() - end < 0)) {
            Combination next = combinations.get(rounds % combinations.size());
            boolean elsewhere = settings.loads().contains(LoadName.PROCESSES)
                    && next.fabric().reachesProcesses()
                    && random.nextBoolean();
            round(next, elsewhere, folder, (long) (each * 1e9));
            rounds++;
            progress();
        }
    }

    private void round(Combination c, boolean elsewhere, Path folder, long nanos) {
        NodeMode hubMode = List.copyOf(new TreeSet<>(settings.modes()))
                .get(random.nextInt(settings.modes().size()));
        MessageTally tally = tally(c);
        try {
            if (elsewhere) {
                ProcessHost host = processes.computeIfAbsent(c.fabric(), f -> process(c, hubMode, folder, tally));
                boolean kill = settings.loads().contains(LoadName.KILLS) && random.nextInt(KILL_ODDS) == 0;
                host.awaitUp();
                round(c, host).play(nanos, kill ? host::kill : () -> {});
                if (kill) {
                    processes.remove(c.fabric());
                    host.close();
                } else if (findings.isClean()) {
                    host.judgeTable();
                }
            } else {
                Hub hub = new Hub(
                        "hub-" + hubs++,
                        new FabricPlace(c.fabric(), folder, settings.shared()),
                        hubMode,
                        settings.maxLength(),
                        content,
                        findings,
                        random.nextLong());
                try (LocalHost host = new LocalHost(hub, c.fabric(), tally, findings)) {
                    round(c, host).play(nanos, () -> {});
                    if (findings.isClean()) {
                        host.judgeTable();
                    }
                }
            }
        } catch (RuntimeException e) {
            findings.report("round " + rounds + " over " + c.fabric() + " in mode " + c.mode(), e);
        }
    }

    private Round round(Combination c, HubHost host) {
        return new Round(context, c.fabric(), c.mode(), host, tally(c), rounds);
    }

    private ProcessHost process(Combination c, NodeMode mode, Path folder, MessageTally tally) {
        String name = "hub-" + ProcessHandle.current().pid() + "-" + hubs++;
        return new ProcessHost(name, c.fabric(), mode, folder, settings, findings, tally);
    }

    private MessageTally tally(Combination c) {
        Map<NodeMode, MessageTally> modes = tallies.get(c.fabric());
        MessageTally tally = modes == null ? null : modes.get(c.mode());
        if (tally == null) {
            throw new IllegalStateException("no tally for " + c);
        }
        return tally;
    }

    private void progress() {
        long now = System.nanoTime();
        if (now - nextProgress >= 0) {
            nextProgress = now + PROGRESS_NANOS;
            MessagesResult so = new MessagesResult(settings, null, rounds, tallies);
            out.printf(
                    Locale.ROOT,
                    "%4.0f s: %d rounds, %d messages, %.1f MB, %d calls, %d region operations, %d kills%n",
                    (now - begun) / 1e9,
                    rounds,
                    so.total(Count.MESSAGES),
                    so.total(Count.BYTES) / 1e6,
                    so.total(Count.CALLS),
                    so.total(Count.OPERATIONS),
                    so.total(Count.KILLS));
        }
    }

    private void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Collections.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            out.println("left behind: " + folder + ": " + e.getMessage());
        }
    }
}
