package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import io.verbena.bench.check.messages.Resources.Kind;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.agrona.IoUtil;
import org.jspecify.annotations.Nullable;

/**
 * A hub a fabric that stays, and peers in processes of their own that send, call, read and write, and are killed and
 * replaced in turn. Every byte that arrives is judged, and what this process holds must not grow. For one thread; used
 * once.
 */
final class Soak {
    /** Streams that a peer may have in its life; the numbers of one that is long dead are given again. */
    private static final int STREAMS = 4096;

    private static final int LIVES = (MessageContent.MAX_STREAM + 1) / STREAMS;
    private static final long LOOK_NANOS = 10_000_000_000L;
    private static final int LOOKS_PER_MINUTE = 6;
    private static final long TICK_NANOS = 100_000_000;

    /** How long the links of a peer that was killed may still bring what it had sent. */
    private static final long LAST_WORDS_NANOS = 60_000_000_000L;

    /** What is given back only when collectors and timers have been has so long to go. */
    private static final int LAST_LOOKS = 20;

    private MessagesSettings settings;
    private final double killEverySeconds;
    private final int peers;
    private final PrintStream out;
    private final Findings findings = new Findings();
    private final MessageTally tally = new MessageTally();
    private final Growth growth = new Growth();
    private final SplittableRandom random;
    private final Map<FabricName, Hub> hubs = new EnumMap<>(FabricName.class);
    private final List<FabricName> fabrics;
    private final List<NodeMode> modes;
    private final List<SoakPeer> living = new ArrayList<>();
    private final List<SoakPeer> dead = new ArrayList<>();
    private int lives;
    private int minutes;

    /**
     * Prepares a soak.
     *
     * @param settings its fabrics, modes, seed and lengths; its threads and loads are not asked
     * @param killEverySeconds one of the peers is killed
     * @param peers at a time
     */
    Soak(MessagesSettings settings, double killEverySeconds, int peers, PrintStream out) {
        this.settings = settings;
        this.killEverySeconds = killEverySeconds;
        this.peers = peers;
        this.out = out;
        this.random = new SplittableRandom(settings.seed());
        this.fabrics = new ArrayList<>(new TreeSet<>(settings.fabrics()));
        this.modes = new ArrayList<>(new TreeSet<>(settings.modes()));
    }

    /** Runs it until the time is over or something is wrong. Returns the first flaw, or null. */
    @Nullable
    Flaw run() {
        Path folder;
        Path shared;
        try {
            folder = Files.createTempDirectory("verbena-soak");
            shared = Files.createTempDirectory(settings.shared(), "verbena-soak"); // others' files do not count
        } catch (IOException e) {
            throw new RunException("no folder for sockets or shared memory: " + e.getMessage(), e);
        }
        settings = settings.within(shared);
        Resources before = Resources.now(shared);
        try {
            for (FabricName fabric : fabrics) {
                NodeMode mode = modes.get(random.nextInt(modes.size()));
                String name = "soak-" + ProcessHandle.current().pid() + "-" + fabric;
                MessageContent content = new MessageContent(settings.seed());
                int longest = settings.maxLength();
                FabricPlace place = new FabricPlace(fabric, folder, shared);
                hubs.put(fabric, new Hub(name, place, mode, longest, content, findings, random.nextLong()));
            }
            head();
            play();
            for (SoakPeer peer : living) {
                peer.end();
            }
            living.forEach(SoakPeer::await);
        } catch (RuntimeException e) {
            findings.report("the soak", e);
        } finally {
            living.forEach(SoakPeer::close);
            hubs.values().forEach(Hub::close);
            hubs.clear(); // with what they know of streams, and so of channels
            dead.clear();
            living.clear();
            delete(folder);
        }
        if (findings.isClean()) {
            judge(before);
        }
        IoUtil.delete(shared.toFile(), true);
        return findings.first();
    }

    private void delete(Path folder) {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            findings.report("the folder of sockets", e);
        }
    }

    private void play() {
        long now = System.nanoTime();
        long end = now + (long) (settings.seconds() * 1e9);
        long nextKill = now + pause();
        long nextLook = now + LOOK_NANOS;
        int looks = 0;
        while (findings.isClean() && now - end < 0) {
            while (living.size() < peers) {
                living.add(peer());
            }
            LockSupport.parkNanos(TICK_NANOS);
            now = System.nanoTime();
            if (now - nextKill > 0 && living.get(0).hasWorked()) {
                nextKill = now + pause();
                SoakPeer oldest = living.remove(0);
                oldest.kill();
                dead.add(oldest);
            }
            forget(now);
            if (now - nextLook > 0) {
                nextLook = now + LOOK_NANOS;
                growth.look(Resources.now(settings.shared()));
                if (++looks % LOOKS_PER_MINUTE == 0) {
                    line();
                    growth.grown().forEach(this::hasGrown);
                }
            }
        }
    }

    /** Between half and one and a half times what was asked for. */
    private long pause() {
        return (long) ((0.5 + random.nextDouble()) * killEverySeconds * 1e9);
    }

    private SoakPeer peer() {
        int number = lives++;
        FabricName fabric = fabrics.get(number % fabrics.size());
        NodeMode mode = modes.get(random.nextInt(modes.size()));
        Hub hub = hubs.get(fabric);
        if (hub == null) {
            throw new IllegalStateException("no hub over " + fabric);
        }
        return new SoakPeer(number, number % LIVES * STREAMS, fabric, mode, hub, settings, findings, tally);
    }

    private void forget(long now) {
        while (!dead.isEmpty() && now - dead.get(0).diedAt() > LAST_WORDS_NANOS) {
            dead.remove(0).forget(STREAMS);
        }
    }

    private void head() {
        out.println("minute  messages       MB     calls  operations  kills  "
                + Arrays.stream(Kind.values()).map(Kind::title).collect(Collectors.joining("  ")));
    }

    private void line() {
        Resources least = growth.endMinute();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%6d  %8.1fM %8.0f %9d %11d %6d",
                ++minutes,
                tally.get(Count.MESSAGES) / 1e6,
                tally.get(Count.BYTES) / 1e6,
                tally.get(Count.CALLS),
                tally.get(Count.OPERATIONS),
                tally.get(Count.KILLS)));
        for (Kind kind : Kind.values()) {
            line.append(String.format(Locale.ROOT, "  %" + kind.title().length() + "d", kind.units(least.of(kind))));
        }
        out.println(line);
    }

    private void hasGrown(String what) {
        findings.report(new Flaw(FlawKind.LEFT, "this process", "all channels", 0, -1, "nothing to grow", what));
    }

    /** All is closed: what was not there before must not be there now. */
    private void judge(Resources before) {
        Resources now = Resources.now(settings.shared());
        for (int i = 0; i < LAST_LOOKS && !left(before, now).isEmpty(); i++) {
            LockSupport.parkNanos(LOOK_NANOS / LAST_LOOKS);
            now = Resources.now(settings.shared());
        }
        left(before, now)
                .forEach(what -> findings.report(
                        new Flaw(FlawKind.LEFT, "this process", "no channel", 0, -1, "nothing to be left", what)));
    }

    private static List<String> left(Resources before, Resources now) {
        List<String> left = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            boolean goesBack = kind != Kind.RESIDENT && kind != Kind.MAPS; // pages and code of the JVM stay
            if (goesBack && kind.hasGrown(before.of(kind), now.of(kind))) {
                left.add(kind.title() + ": " + kind.units(before.of(kind)) + " before, " + kind.units(now.of(kind))
                        + " after all was closed");
            }
        }
        return left;
    }
}
