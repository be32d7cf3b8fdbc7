package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * A hub in a process of its own. It answers lines: {@code count STREAM}, {@code finish PLACE STREAM SENT},
 * {@code table}, {@code state}, {@code end}; and ends with its parent. A flaw is a line of its own.
 */
@Command(name = "check-messages-hub", description = "A hub; started by check messages.")
public final class HubProcess implements Callable<Integer> {
    static final String READY = "ready ";
    static final String FLAW = "flaw ";
    static final String SEPARATOR = "\u001f";

    @Parameters(index = "0")
    String name = "";

    @Parameters(index = "1")
    FabricName fabric = FabricName.SHM;

    @Parameters(index = "2")
    NodeMode mode = NodeMode.ASSISTED;

    @Parameters(index = "3")
    long seed;

    @Parameters(index = "4")
    int maxLength;

    @Parameters(index = "5")
    Path folder = Path.of("");

    private final Findings findings = new Findings();
    private boolean told;

    @Override
    public Integer call() throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        FabricPlace place = new FabricPlace(fabric, folder, MessagesSettings.SHARED);
        try (Hub hub = new Hub(name, place, mode, maxLength, new MessageContent(seed), findings, seed)) {
            out.println(READY + hub.address());
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                answer(hub, line.split(" "), out);
                tell(out);
            }
            out.println("holds " + hub.holds());
        }
        tell(out);
        return findings.isClean() ? 0 : 1;
    }

    private void answer(Hub hub, String[] words, PrintStream out) {
        switch (words[0]) {
            case "count":
                int stream = Integer.parseInt(words[1]);
                out.println("count " + stream + " " + hub.arrivals().received(stream));
                break;
            case "finish":
                hub.arrivals().finish(HubInbox.valueOf(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
                break;
            case "table":
                out.println("table "
                        + Arrays.stream(hub.tableWords())
                                .mapToObj(Long::toString)
                                .collect(Collectors.joining(" ")));
                break;
            default:
                out.println("state " + oneLine(hub.state() + "\n" + Stacks.all()));
        }
    }

    private void tell(PrintStream out) {
        Flaw flaw = findings.first();
        if (flaw != null && !told) {
            told = true;
            out.println(line(flaw));
        }
    }

    /** A flaw in a line. */
    static String line(Flaw flaw) {
        return FLAW
                + String.join(
                        SEPARATOR,
                        flaw.kind().name(),
                        oneLine(flaw.where()),
                        oneLine(flaw.channel()),
                        Integer.toString(flaw.stream()),
                        Long.toString(flaw.number()),
                        oneLine(flaw.expected()),
                        oneLine(flaw.got()));
    }

    /** The flaw of a {@link #line}, without the word that it begins with. */
    static Flaw flaw(String rest) {
        String[] f = lines(rest).split(SEPARATOR, -1);
        return new Flaw(FlawKind.valueOf(f[0]), f[1], f[2], Integer.parseInt(f[3]), Long.parseLong(f[4]), f[5], f[6]);
    }

    static String oneLine(String text) {
        return text.replace('\n', '\u001e');
    }

    static String lines(String text) {
        return text.replace('\u001e', '\n');
    }
}
