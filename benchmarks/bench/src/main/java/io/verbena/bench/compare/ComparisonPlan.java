package io.verbena.bench.compare;

import static io.verbena.bench.compare.FigureTarget.atLeast;
import static io.verbena.bench.compare.FigureTarget.atMost;
import static io.verbena.bench.compare.FigureTarget.moreBy;

import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.IdleProcess;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The comparison that {@code verbena bench} runs: what Verbena promises, each promise a row. */
public final class ComparisonPlan {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final Set<String> BRIEF =
            Set.of("rtt-32-shm", "rate-32-shm", "bytes-64k-shm", "rtt-32-tcp", "call-1k-tcp", "idle-node");
    private static final int ETC_MEAN = 231; // bytes of an ETC message on average
    private static final int BATCH = 16;
    private static final int BULK_DEPTH = 16;
    private static final int BUSY_QPS = 1000;
    private static final int QPS_DEPTH = 64;
    private static final long RATE = 100_000;

    private final List<ComparisonRow> rows = new ArrayList<>();

    private ComparisonPlan() {}

    /** All rows. */
    public static List<ComparisonRow> rows() {
        ComparisonPlan plan = new ComparisonPlan();
        plan.memoryRoundTrips();
        plan.memoryStreams();
        plan.sharedReceives();
        plan.copies();
        plan.atomics();
        plan.sockets();
        plan.encrypted();
        plan.calls();
        plan.scale();
        plan.idle();
        return List.copyOf(plan.rows);
    }

    /**
     * The rows that are asked for.
     *
     * @param ids patterns of rows
     * @param peers patterns of references; rows that have none of them drop out
     */
    public static List<ComparisonRow> select(List<ComparisonRow> rows, Globs ids, Globs peers) {
        ids.check("row", rows.stream().map(ComparisonRow::id).toList());
        peers.check(
                "peer",
                rows.stream()
                        .flatMap(row -> row.references().stream())
                        .map(Contestant::label)
                        .toList());
        List<ComparisonRow> selected = new ArrayList<>();
        for (ComparisonRow row : rows) {
            List<Contestant> against = row.references().stream()
                    .filter(each -> peers.pick(each.label()))
                    .toList();
            if (ids.pick(row.id()) && !against.isEmpty()) {
                selected.add(row.against(against));
            }
        }
        return selected;
    }

    /** The few rows that can be measured warm in a short time, one of each kind. */
    public static List<ComparisonRow> brief(List<ComparisonRow> rows) {
        return rows.stream().filter(row -> BRIEF.contains(row.id())).toList();
    }

    private void memoryRoundTrips() {
        for (int bytes : new int[] {32, KIB}) {
            for (boolean local : new boolean[] {true, false}) {
                String fabric = local ? "local" : "shm";
                Setting setting = Setting.of("", Measure.ROUND_TRIP, bytes).withThreads(local);
                List<Contestant> subjects = List.of(
                        Contestant.of(
                                setting.withPath("verbena-append-" + fabric),
                                atMost(Figure.P50, 1),
                                atMost(Figure.P99, 1)),
                        Contestant.of(
                                setting.withPath("verbena-send-" + fabric),
                                atMost(Figure.P50, 1.5),
                                atMost(Figure.P99, 1.5)));
                add(
                        "rtt-" + size(bytes) + "-" + fabric,
                        words(bytes) + " round trip, " + place(local),
                        setting.measure().figures(),
                        subjects,
                        references(setting, "aeron-ipc", "agrona-one-to-one", "agrona-many-to-one"));
            }
        }
        Setting scheduled = Setting.of("", Measure.SCHEDULED, 32).withRate(RATE);
        add(
                "latency-100k-shm",
                "32 B there and back at 100,000/s, from scheduled times, two processes",
                scheduled.measure().figures(),
                references(scheduled, "verbena-append-shm", "verbena-send-shm"),
                references(scheduled, "aeron-ipc"));
    }

    private void memoryStreams() {
        for (int bytes : new int[] {32, KIB}) {
            for (boolean local : new boolean[] {true, false}) {
                String fabric = local ? "local" : "shm";
                Setting setting =
                        Setting.of("", Measure.STREAM, bytes).withBatch(BATCH).withThreads(local);
                add(
                        "rate-" + size(bytes) + "-" + fabric,
                        words(bytes) + " one way, " + place(local),
                        setting.measure().figures(),
                        List.of(
                                Contestant.of(setting.withPath("verbena-append-" + fabric), atLeast(Figure.RATE, 1)),
                                Contestant.of(setting.withPath("verbena-send-" + fabric), atLeast(Figure.RATE, 0.5))),
                        local
                                ? references(
                                        setting,
                                        "aeron-ipc-concurrent",
                                        "aeron-ipc",
                                        "agrona-many-to-one",
                                        "jctools-mpsc")
                                : references(setting, "aeron-ipc-concurrent", "aeron-ipc", "agrona-many-to-one"));
            }
        }
        for (boolean local : new boolean[] {true, false}) {
            String fabric = local ? "local" : "shm";
            Setting setting = Setting.of("", Measure.STREAM, 64 * KIB).withThreads(local);
            add(
                    "bytes-64k-" + fabric,
                    "64 KiB one way, " + place(local),
                    List.of(Figure.BYTES),
                    List.of(Contestant.of(setting.withPath("verbena-append-" + fabric), atLeast(Figure.BYTES, 1.5))),
                    references(setting, "aeron-ipc"));
        }
    }

    /** An append queue against a shared receive queue whose buffers are of exactly the right size. */
    private void sharedReceives() {
        for (int bytes : new int[] {32, ETC_MEAN, KIB, 16 * KIB}) {
            Setting turn = Setting.of("", Measure.ROUND_TRIP, bytes);
            Setting stream = Setting.of("", Measure.STREAM, bytes).withBatch(BATCH);
            add(
                    "srq-rtt-" + size(bytes),
                    words(bytes) + " round trip, to an append queue and to a shared receive queue, two processes",
                    turn.measure().figures(),
                    List.of(Contestant.of(turn.withPath("verbena-append-shm"), atMost(Figure.P50, 1))),
                    references(turn, "verbena-send-srq-shm"));
            add(
                    "srq-rate-" + size(bytes),
                    words(bytes) + " one way, to an append queue and to a shared receive queue, two processes",
                    stream.measure().figures(),
                    List.of(Contestant.of(stream.withPath("verbena-append-shm"), atLeast(Figure.RATE, 1))),
                    references(stream, "verbena-send-srq-shm"));
        }
    }

    private void copies() {
        for (int bytes : new int[] {64 * KIB, MIB}) {
            for (boolean local : new boolean[] {true, false}) {
                String fabric = local ? "local" : "shm";
                Setting setting = Setting.of("", Measure.STREAM, bytes)
                        .withDepth(BULK_DEPTH)
                        .withThreads(local);
                add(
                        "copy-" + size(bytes) + "-" + fabric,
                        words(bytes) + " WRITE and READ, " + place(local),
                        List.of(Figure.BYTES),
                        List.of(
                                Contestant.of(setting.withPath("verbena-write-" + fabric), atLeast(Figure.BYTES, 0.9)),
                                Contestant.of(setting.withPath("verbena-read-" + fabric), atLeast(Figure.BYTES, 0.9))),
                        references(setting.withThreads(true), local ? "memcpy" : "memcpy-shm"));
            }
        }
    }

    private void atomics() {
        for (boolean local : new boolean[] {true, false}) {
            String fabric = local ? "local" : "shm";
            Setting setting = Setting.of("", Measure.ROUND_TRIP, Long.BYTES).withThreads(local);
            add(
                    "fetch-add-" + fabric,
                    "fetch-and-add, " + place(local),
                    setting.measure().figures(),
                    List.of(Contestant.of(setting.withPath("verbena-fetch-add-" + fabric), moreBy(Figure.P50, 100))),
                    references(setting.withThreads(true), "cpu-atomic"));
        }
    }

    private void sockets() {
        for (String fabric : List.of("uds", "tcp")) {
            Setting setting = Setting.of("", Measure.ROUND_TRIP, 32);
            add(
                    "rtt-32-" + fabric,
                    "32 B round trip, " + fabric.toUpperCase(Locale.ROOT) + ", two processes",
                    setting.measure().figures(),
                    List.of(
                            Contestant.of(setting.withPath("verbena-append-" + fabric), atMost(Figure.P50, 1)),
                            Contestant.of(setting.withPath("verbena-send-" + fabric), atMost(Figure.P50, 1))),
                    fabric.equals("tcp")
                            ? references(setting, "netty-tcp", "netty-nio-tcp", "netty-uring-tcp", "aeron-udp")
                            : references(setting, "netty-uds"));
        }
        Setting window = Setting.of("", Measure.WINDOW, 32).withDepth(256).withBatch(256);
        add(
                "echo-32-tcp",
                "32 B echo, 256 under way, TCP, two processes",
                window.measure().figures(),
                List.of(
                        Contestant.of(window.withPath("verbena-append-tcp"), atLeast(Figure.RATE, 1.2)),
                        Contestant.of(window.withPath("verbena-send-tcp"), atLeast(Figure.RATE, 1.2))),
                references(window, "netty-framed-tcp", "netty-batched-tcp"));
        for (String fabric : List.of("tcp", "uds")) {
            Setting bulk = Setting.of("", Measure.STREAM, MIB).withDepth(BULK_DEPTH);
            add(
                    "write-1m-" + fabric,
                    "1 MiB WRITE, " + fabric.toUpperCase(Locale.ROOT) + ", two processes",
                    List.of(Figure.BYTES),
                    List.of(Contestant.of(bulk.withPath("verbena-write-" + fabric), atLeast(Figure.BYTES, 0.9))),
                    references(bulk, "netty-" + fabric));
        }
    }

    private void encrypted() {
        Setting turn = Setting.of("", Measure.ROUND_TRIP, 32);
        add(
                "rtt-32-tls",
                "32 B round trip, mutual TLS over TCP, two processes",
                turn.measure().figures(),
                List.of(
                        Contestant.of(turn.withPath("verbena-append-tls-tcp"), atMost(Figure.P50, 1)),
                        Contestant.of(turn.withPath("verbena-send-tls-tcp"), atMost(Figure.P50, 1))),
                references(turn, "netty-tls-tcp"));
        Setting window = Setting.of("", Measure.WINDOW, 32).withDepth(256).withBatch(256);
        add(
                "echo-32-tls",
                "32 B echo, 256 under way, mutual TLS over TCP, two processes",
                window.measure().figures(),
                List.of(
                        Contestant.of(window.withPath("verbena-append-tls-tcp"), atLeast(Figure.RATE, 1)),
                        Contestant.of(window.withPath("verbena-send-tls-tcp"), atLeast(Figure.RATE, 1))),
                references(window, "netty-framed-tls-tcp"));
        Setting bulk = Setting.of("", Measure.STREAM, MIB).withDepth(BULK_DEPTH);
        add(
                "write-1m-tls",
                "1 MiB WRITE, mutual TLS over TCP, two processes",
                List.of(Figure.BYTES),
                List.of(Contestant.of(bulk.withPath("verbena-write-tls-tcp"), atLeast(Figure.BYTES, 0.9))),
                references(bulk, "netty-tls-tcp"));
    }

    private void calls() {
        Setting call = Setting.of("", Measure.ROUND_TRIP, KIB);
        add(
                "call-1k-tcp",
                "1 KiB request and response, TCP, two processes",
                call.measure().figures(),
                List.of(Contestant.of(call.withPath("verbena-rpc-tcp"), atMost(Figure.P50, 1 / 3.0))),
                references(call, "grpc-unary", "grpc-stream"));
        Setting window = Setting.of("", Measure.WINDOW, KIB).withDepth(64).withBatch(64);
        add(
                "call-1k-tcp-64",
                "1 KiB request and response, 64 under way, TCP, two processes",
                window.measure().figures(),
                List.of(Contestant.of(
                        window.withPath("verbena-rpc-tcp"), atLeast(Figure.RATE, 10), atMost(Figure.P50, 0.2))),
                references(window, "grpc-unary", "grpc-stream"));
    }

    private void scale() {
        for (String path : List.of("verbena-append-shm", "verbena-append-tcp")) {
            Setting one = Setting.of(path, Measure.STREAM, 32).withBatch(BATCH).withDepth(QPS_DEPTH);
            add(
                    "qps-1000-" + path.substring(path.lastIndexOf('-') + 1),
                    "32 B one way over 1,000 queue pairs in turn, two processes",
                    one.measure().figures(),
                    List.of(new Contestant(
                            path + " 1000 QPs", one.withQueuePairs(BUSY_QPS), List.of(atLeast(Figure.RATE, 0.7)))),
                    List.of(new Contestant(path + " 1 QP", one, List.of())));
        }
    }

    private void idle() {
        Setting setting = Setting.of("", Measure.IDLE, Long.BYTES);
        add(
                "idle-node",
                "a node that listens and does nothing, against an empty JVM",
                setting.measure().figures(),
                List.of(Contestant.of(
                        setting.withPath(IdleProcess.NODE),
                        moreBy(Figure.PROCESSOR, 0.01),
                        moreBy(Figure.MEMORY, 64 * MIB))),
                references(setting, IdleProcess.EMPTY));
    }

    private void add(
            String id, String title, List<Figure> figures, List<Contestant> subjects, List<Contestant> references) {
        rows.add(new ComparisonRow(id, title, figures, subjects, references));
    }

    private static List<Contestant> references(Setting setting, String... paths) {
        List<Contestant> made = new ArrayList<>();
        for (String path : paths) {
            made.add(Contestant.of(setting.withPath(path)));
        }
        return made;
    }

    private static String place(boolean local) {
        return local ? "two threads" : "two processes";
    }

    private static String size(int bytes) {
        if (bytes >= MIB) {
            return bytes / MIB + "m";
        }
        return bytes >= KIB ? bytes / KIB + "k" : String.valueOf(bytes);
    }

    private static String words(int bytes) {
        if (bytes >= MIB) {
            return bytes / MIB + " MiB";
        }
        return bytes >= KIB ? bytes / KIB + " KiB" : bytes + " B";
    }
}
