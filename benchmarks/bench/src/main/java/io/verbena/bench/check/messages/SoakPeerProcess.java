package io.verbena.bench.check.messages;

import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * A peer of a {@link Soak}: a client in a process of its own, until it is killed or told {@code end}. It writes lines:
 * {@code count STREAM}, which is answered, {@code finish PLACE STREAM SENT}, {@code done} with what it has done since
 * the last such line, {@code settled}, and a flaw as {@link HubProcess} does. It ends with its parent.
 */
@Command(name = "soak-peer", description = "A peer; started by soak.")
public final class SoakPeerProcess implements Callable<Integer> {
    static final String COUNT = "count ";
    static final String FINISH = "finish ";
    static final String DONE = "done ";
    static final String SETTLED = "settled";
    static final String END = "end";

    /** What a peer does. */
    static final Set<LoadName> LOADS =
            EnumSet.of(LoadName.CHANNELS, LoadName.ECHOES, LoadName.CALLS, LoadName.REGIONS, LoadName.CHURN);

    private static final long REPORT_MILLIS = 500;

    @Parameters(index = "0")
    String address = "";

    @Parameters(index = "1")
    FabricName fabric = FabricName.SHM;

    @Parameters(index = "2")
    NodeMode mode = NodeMode.ASSISTED;

    @Parameters(index = "3")
    long seed;

    @Parameters(index = "4")
    int maxLength;

    @Parameters(index = "5")
    double stallSeconds;

    @Parameters(index = "6")
    int number;

    @Parameters(index = "7")
    int firstStream;

    @Parameters(index = "8")
    Path shared = MessagesSettings.SHARED;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Findings findings = new Findings();
    private final MessageTally tally = new MessageTally();
    private volatile boolean ending;

    @Override
    public Integer call() throws InterruptedException {
        DistantHost host = new DistantHost(address, fabric, out, findings);
        Thread reader = new Thread(() -> read(host), "parent");
        reader.setDaemon(true);
        reader.start();
        MessagesSettings settings = new MessagesSettings(
                1, seed + number, Set.of(fabric), Set.of(mode), 1, LOADS, maxLength, stallSeconds, shared);
        SplittableRandom random = new SplittableRandom(MessageContent.mix(seed * 7919 + number));
        Node node = Site.launch("peer-" + number, fabric, shared, mode, random);
        MessageContent content = new MessageContent(seed); // as the hub judges it
        RunContext run = new RunContext(settings, content, findings, new AtomicInteger(firstStream));
        NodeArrivals arrivals = new NodeArrivals(node.name(), content, findings);
        Entrance entrance = new Entrance(node.name(), findings);
        Site site = new Site(run, node, mode, number, host, tally, arrivals, entrance);
        Client client = new Client(site, Loads.of(site, random), () -> !ending);
        client.start();
        long[] told = new long[Count.values().length];
        while (client.isAlive() && findings.isClean()) {
            Thread.sleep(REPORT_MILLIS);
            client.watch();
            tell(told);
        }
        tell(told);
        Flaw flaw = findings.first();
        out.println(flaw == null ? SETTLED : HubProcess.line(flaw));
        return flaw == null ? 0 : 1;
    }

    private void read(DistantHost host) {
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(END)) {
                    ending = true;
                } else {
                    String[] words = line.split(" ", -1);
                    host.count(Integer.parseInt(words[0]), Long.parseLong(words[1]));
                }
            }
        } catch (IOException e) {
            findings.report("the input of peer " + number, e);
        }
        Runtime.getRuntime().halt(1); // the parent is gone
    }

    private void tell(long[] told) {
        StringBuilder line = new StringBuilder(DONE);
        for (Count count : Count.values()) {
            long now = tally.get(count);
            line.append(now - told[count.ordinal()]).append(' ');
            told[count.ordinal()] = now;
        }
        out.println(line);
    }
}
