package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.verification.Waits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A hub in another process, {@link HubProcess}, which can be killed. */
final class ProcessHost implements HubHost {
    private static final long ASK_NANOS = 3_000_000;
    private static final long ANSWER_SECONDS = 30;

    private final String name;
    private final FabricName fabric;
    private final Findings findings;
    private final MessageTally tally;
    private final RegionSums sums;
    private final JavaProcess process;
    private final PrintStream input;
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final Map<Integer, Long> counts = new ConcurrentHashMap<>();
    private final Map<Integer, Long> asked = new ConcurrentHashMap<>();
    private volatile CompletableFuture<String> answer = new CompletableFuture<>();
    private volatile boolean killed;
    private volatile boolean ending;

    /** Starts one; {@link #address} waits until it is up. */
    ProcessHost(
            String name,
            FabricName fabric,
            NodeMode mode,
            Path folder,
            MessagesSettings settings,
            Findings findings,
            MessageTally tally) {
        this.name = name;
        this.fabric = fabric;
        this.findings = findings;
        this.tally = tally;
        this.sums = new RegionSums(name, findings);
        this.process = new JavaProcess(
                HubProcess.class,
                List.of(
                        name,
                        fabric.name(),
                        mode.name(),
                        Long.toString(settings.seed()),
                        Integer.toString(settings.maxLength()),
                        folder.toString()));
        this.input = new PrintStream(process.process().getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, name + "-output");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.process().getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            if (!killed) {
                findings.report("the output of hub '" + name + "'", e);
            }
        }
        if (!killed && !ending) {
            findings.report(new Flaw(
                    FlawKind.UNEXPECTED,
                    "node '" + name + "'",
                    "no channel",
                    0,
                    -1,
                    "its process to go on",
                    "its end"));
        }
        address.completeExceptionally(new IllegalStateException("hub '" + name + "' has ended"));
        answer.complete("");
    }

    private void take(String line) {
        int space = line.indexOf(' ');
        String rest = line.substring(space + 1);
        if (line.startsWith(HubProcess.READY)) {
            address.complete(rest);
        } else if (line.startsWith("count ")) {
            int second = rest.indexOf(' ');
            counts.put(Integer.valueOf(rest.substring(0, second)), Long.valueOf(rest.substring(second + 1)));
        } else if (line.startsWith(HubProcess.FLAW)) {
            findings.report(HubProcess.flaw(rest));
        } else if (line.startsWith("holds ")) {
            tally.add(Count.HOLDS, Long.parseLong(rest));
        } else if (line.startsWith("table ") || line.startsWith("state ")) {
            answer.complete(HubProcess.lines(rest));
        }
    }

    private synchronized String ask(String question, Supplier<String> otherwise) {
        CompletableFuture<String> awaited = new CompletableFuture<>();
        answer = awaited;
        input.println(question);
        try {
            return killed ? otherwise.get() : awaited.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return otherwise.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise.get();
        }
    }

    /** Waits until it can be reached. */
    void awaitUp() {
        address("");
    }

    @Override
    public FabricName fabric() {
        return fabric;
    }

    @Override
    public String address(String of) {
        try {
            return address.get(ANSWER_SECONDS, TimeUnit.SECONDS) + "/" + of;
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("hub '" + name + "' is not up", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public long received(int stream) {
        long now = System.nanoTime();
        Long last = asked.get(stream);
        if (!killed && (last == null || now - last > ASK_NANOS)) {
            asked.put(stream, now);
            input.println("count " + stream);
        }
        return counts.getOrDefault(stream, 0L);
    }

    @Override
    public boolean isDisturbed() {
        return killed;
    }

    @Override
    public void finish(HubInbox place, int stream, long sent) {
        if (!killed) {
            input.println("finish " + place.name() + " " + stream + " " + sent);
        }
    }

    @Override
    public RegionSums sums() {
        return sums;
    }

    @Override
    public void judgeTable() {
        String words = killed ? "" : ask("table", () -> "");
        if (!words.isEmpty()) {
            sums.judge(
                    Arrays.stream(words.split(" ")).mapToLong(Long::parseLong).toArray());
        }
    }

    @Override
    public String state() {
        return "hub '" + name + "' in process " + process.process().pid() + (killed ? ", killed: " : ": ")
                + ask("state", () -> "no answer");
    }

    /** Ends the process as the kernel does when it must. */
    void kill() {
        killed = true;
        process.process().destroyForcibly();
        tally.add(Count.KILLS, 1);
    }

    @Override
    public void close() {
        ending = true;
        if (!killed) {
            input.println("end");
            if (!Waits.end(process.process(), ANSWER_SECONDS)) {
                findings.report(new Flaw(
                        FlawKind.STALLED, "node '" + name + "'", "no channel", 0, -1, "its process to end", state()));
            }
        }
        process.close();
    }
}
