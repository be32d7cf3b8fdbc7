package io.verbena.bench.channels;

import io.verbena.MuxOptions;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.bench.path.WaitLimit;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.Sink;
import io.verbena.bench.trial.SinkProcess;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench guilty}: what one guilty channel does to all the others of its node. */
@Command(
        name = "guilty",
        description = {
            "Measures what one channel that does wrong does to all the others between two processes: their round",
            "trips before, meanwhile and after, with a queue pair each and sharing. Each of their messages has to",
            "come back once and in order, and none of them may close, or the command fails.%n"
        })
public final class GuiltyCommand extends RunCommand {
    private static final int SLOW_SECONDS = 60;

    @Option(names = "--channels", paramLabel = "<count>", description = "Victims; default ${DEFAULT-VALUE}.")
    int channels = 1000;

    @Option(names = "--fabric", description = "tcp, uds or shm; default ${DEFAULT-VALUE}.")
    String fabric = "shm";

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of each part; default ${DEFAULT-VALUE}.")
    double seconds = 2;

    @Option(
            names = "--rate",
            paramLabel = "<rate>",
            description = "Messages/s of all victims; default ${DEFAULT-VALUE}.")
    long rate = 20_000;

    @Option(names = "--offences", paramLabel = "<rate>", description = "A second at most; default ${DEFAULT-VALUE}.")
    long offences = 1000;

    /** Creates the command. */
    public GuiltyCommand() {
        super("bench guilty");
    }

    @Override
    protected int run() {
        RunException.requireRange("channels", channels, 1, SinkProcess.MAX_CHANNELS / 2);
        RunException.requireRange("rate", rate, 1, 10_000_000);
        RunException.requireRange("offences", offences, 1, 1_000_000);
        out.println(Machine.here().text());
        MarkdownTable table = new MarkdownTable(List.of(
                "one channel of " + (channels + 1),
                "channels",
                "before, p50 us",
                "p99",
                "meanwhile, p50",
                "p99",
                "after, p50",
                "p99",
                "offences"));
        try (Sink peer = new Sink(GuiltyPeer.class, fabric, "victims")) {
            for (Guilt guilt : Guilt.values()) {
                for (boolean share : new boolean[] {false, true}) {
                    err.println(guilt + (share ? ", sharing" : ", a queue pair each"));
                    table.line(measure(guilt, share, peer));
                }
            }
        }
        table.print(out);
        return 0;
    }

    private List<String> measure(Guilt guilt, boolean share, Sink peer) {
        NodeContext context = SinkProcess.context()
                .sharedMemory(fabric.equals("shm"))
                .shareConnections(new MuxOptions().after(share ? 0 : Integer.MAX_VALUE));
        try (Node node = Node.launch(context)) {
            Victims victims = new Victims(node, peer.address() + GuiltyPeer.ECHO, channels);
            if (victims.sharing() != (share ? channels : 0)) {
                throw new RunException(victims.sharing() + " channels share");
            }
            Runnable nothing = () -> {};
            victims.run(rate, seconds, nothing); // compiles what runs
            Histogram before = victims.run(rate, seconds, nothing);
            List<String> line = new ArrayList<>(List.of(guilt.toString(), share ? "sharing" : "a queue pair each"));
            add(line, before);
            long done = guilt == Guilt.KILLED_RECEIVER
                    ? besideKilled(node, victims, line)
                    : beside(new GuiltyChannel(node, guilt, address(guilt, peer), offences), victims, line);
            add(line, victims.run(rate, seconds, nothing));
            line.add(text("%d", done));
            return line;
        }
    }

    private long beside(GuiltyChannel guilty, Victims victims, List<String> line) {
        try (guilty) {
            add(line, runUntil(() -> guilty.offences() > 0, victims, guilty::step));
            return guilty.offences();
        }
    }

    /** A receiver is sent to, and killed half-way. */
    private long besideKilled(Node node, Victims victims, List<String> line) {
        try (Sink receiver = new Sink(GuiltyPeer.class, fabric, "guilty");
                GuiltyChannel guilty = new GuiltyChannel(
                        node, Guilt.KILLED_RECEIVER, receiver.address() + GuiltyPeer.ECHO, offences)) {
            long when = System.nanoTime() + Math.round(seconds / 2 * 1e9);
            boolean[] killed = new boolean[1];
            add(line, runUntil(() -> killed[0], victims, () -> {
                guilty.step();
                if (!killed[0] && guilty.isOpen() && System.nanoTime() - when > 0) {
                    killed[0] = true;
                    receiver.kill();
                }
            }));
            return 1;
        }
    }

    /** Runs the victims, and again on a machine that is so slow that nothing was done wrong meanwhile. */
    private Histogram runUntil(BooleanSupplier done, Victims victims, Runnable beside) {
        Histogram times = victims.run(rate, seconds, beside);
        WaitLimit deadline = WaitLimit.ofSeconds(SLOW_SECONDS, "a channel that does wrong");
        while (!done.getAsBoolean()) {
            deadline.run();
            times.add(victims.run(rate, seconds, beside));
        }
        return times;
    }

    private static void add(List<String> line, Histogram times) {
        line.add(text("%.1f", times.getValueAtPercentile(50) / 1e3));
        line.add(text("%.1f", times.getValueAtPercentile(99) / 1e3));
    }

    private static String address(Guilt guilt, Sink peer) {
        return peer.address()
                + switch (guilt) {
                    case TOO_LONG, LONG, KILLED_RECEIVER -> GuiltyPeer.ECHO;
                    case FULL_INBOX -> GuiltyPeer.FULL;
                    case CLOSED_INBOX -> GuiltyPeer.CLOSING;
                };
    }
}
