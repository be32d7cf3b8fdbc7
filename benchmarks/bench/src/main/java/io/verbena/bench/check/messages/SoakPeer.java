package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import io.verbena.bench.trial.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A {@link SoakPeerProcess}, as its parent has it: answers its questions, counts what it does, and kills it. */
final class SoakPeer {
    /** How long a peer may say nothing while it ends. It says what it has done twice a second, and judges itself. */
    private static final long SILENCE_SECONDS = 60;

    private static final long LOOK_MILLIS = 100;

    private final int number;
    private final int firstStream;
    private final Hub hub;
    private final Findings findings;
    private final MessageTally tally;
    private final JavaProcess process;
    private final PrintStream input;
    private final CountDownLatch settled = new CountDownLatch(1);
    private volatile boolean killed;
    private volatile boolean worked;
    private volatile long diedAt;
    private volatile long heardAt = System.nanoTime();

    /** Starts one. */
    SoakPeer(
            int number,
            int firstStream,
            FabricName fabric,
            NodeMode mode,
            Hub hub,
            MessagesSettings settings,
            Findings findings,
            MessageTally tally) {
        this.number = number;
        this.firstStream = firstStream;
        this.hub = hub;
        this.findings = findings;
        this.tally = tally;
        this.process = new JavaProcess(
                SoakPeerProcess.class,
                List.of(
                        hub.address(),
                        fabric.name(),
                        mode.name(),
                        Long.toString(settings.seed()),
                        Integer.toString(settings.maxLength()),
                        Double.toString(settings.stallSeconds()),
                        Integer.toString(number),
                        Integer.toString(firstStream),
                        settings.shared().toString()));
        this.input = new PrintStream(process.process().getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "soak-peer-" + number);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        boolean done = false;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.process().getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                done |= take(line);
            }
        } catch (IOException | RuntimeException e) {
            if (!killed) {
                findings.report("the output of peer " + number, e);
            }
        }
        if (!killed && !done) {
            findings.report(new Flaw(
                    FlawKind.UNEXPECTED, "peer " + number, "no channel", 0, -1, "its process to go on", "its end"));
        }
        settled.countDown();
    }

    private boolean take(String line) {
        heardAt = System.nanoTime();
        if (line.startsWith(SoakPeerProcess.COUNT)) {
            String stream = line.substring(SoakPeerProcess.COUNT.length());
            input.println(stream + " " + hub.arrivals().received(Integer.parseInt(stream)));
        } else if (line.startsWith(SoakPeerProcess.FINISH)) {
            String[] words = line.split(" ", -1);
            hub.arrivals().finish(HubInbox.valueOf(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
        } else if (line.startsWith(SoakPeerProcess.DONE)) {
            String[] words = line.split(" ", -1);
            for (Count count : Count.values()) {
                long done = Long.parseLong(words[count.ordinal() + 1]);
                worked |= done > 0;
                tally.add(count, done);
            }
        } else if (line.startsWith(HubProcess.FLAW)) {
            findings.report(HubProcess.flaw(line.substring(HubProcess.FLAW.length())));
        }
        return line.equals(SoakPeerProcess.SETTLED);
    }

    /** Whether it has done anything: on a slow machine a process takes long to begin. */
    boolean hasWorked() {
        return worked;
    }

    /** Ends it as the kernel does when it must. */
    void kill() {
        killed = true;
        process.process().destroyForcibly();
        diedAt = System.nanoTime();
        tally.add(Count.KILLS, 1);
    }

    /** When it was killed, as {@link System#nanoTime}. */
    long diedAt() {
        return diedAt;
    }

    /** Nothing comes of it any more: its streams are forgotten, and others may have their numbers. */
    void forget(int streams) {
        hub.arrivals().forget(firstStream, streams);
    }

    /** Tells it to begin nothing new. */
    void end() {
        input.println(SoakPeerProcess.END);
    }

    /** Waits until all that it has begun has ended, and reports it if it falls silent before. */
    void await() {
        try {
            while (!settled.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() - heardAt > TimeUnit.SECONDS.toNanos(SILENCE_SECONDS)) {
                    String expected = "a word within " + SILENCE_SECONDS + " s, or its end";
                    findings.report(
                            new Flaw(FlawKind.STALLED, "peer " + number, "its channels", 0, -1, expected, hub.state()));
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.close();
    }

    /** Ends the process if it is there. */
    void close() {
        killed = true;
        process.close();
    }
}
