package io.verbena;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A node in a process of its own: it serves the inbox "sink", the responders "echo" and "silent" and the region
 * "table", or floods the inbox "sink" of whom it is told. It ends with its parent, whose end of the pipe it watches.
 */
final class PeerProcess implements AutoCloseable {
    static final Duration PEER_TIMEOUT = Duration.ofSeconds(1);

    private static final String READY = "ready ";
    private static final long START_SECONDS = 30;

    private final Process process;
    private final BufferedReader output;
    final String address;
    final long nicId;
    final String tcpAddress;

    private PeerProcess(List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1")); // is up sooner
        command.addAll(openedModules());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PeerProcess.class.getName()));
        command.addAll(List.of(arguments));
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String[] words = line().split(" ");
        address = words[1];
        nicId = Long.parseLong(words[2]);
        tcpAddress = words.length > 3 ? words[3] : "";
    }

    /** A process that serves. */
    static PeerProcess serving(Fabric fabric) {
        return serving(fabric, List.of());
    }

    /** A process that serves, with options of its JVM. */
    static PeerProcess serving(Fabric fabric, List<String> options) {
        return new PeerProcess(options, "serve", fabric.name());
    }

    /** A process that floods the sink at an address of this process. */
    static PeerProcess flooding(Fabric fabric, String address) {
        return new PeerProcess(List.of(), "flood", fabric.name(), address);
    }

    private String line() {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                String said = output.readLine();
                while (said != null && !said.startsWith(READY)) {
                    said = output.readLine();
                }
                if (said == null) {
                    throw new EOFException("it ended");
                }
                return said;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            return line.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IllegalStateException("the other process said nothing", e);
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("process " + process.pid() + " has not ended");
        }
    }

    /** Whether files of its memory are left; other processes come and go in the same directory. */
    boolean hasFiles() {
        String hex = Long.toHexString(nicId);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Stream<Path> files = Files.find(
                    Path.of("/dev/shm"),
                    2,
                    (path, attributes) -> path.toString().contains(hex))) {
                return files.findAny().isPresent();
            } catch (IOException | UncheckedIOException e) { // it changed under the walk: look again
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("/dev/shm changes all the time", e);
                }
            }
        }
    }

    /** Stops it; all its threads stand still when this returns. */
    void suspend() {
        signal("-STOP");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!isStopped()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("process " + process.pid() + " does not stop");
            }
            Thread.onSpinWait();
        }
    }

    private boolean isStopped() {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return threads.allMatch(PeerProcess::isThreadStopped);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            return false; // it ended meanwhile: look again
        }
    }

    void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            int code = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill " + signal + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static NodeContext context(Fabric fabric) {
        return fabric.context(NodeMode.ASSISTED).peerTimeout(PEER_TIMEOUT);
    }

    public static void main(String[] args) throws IOException {
        Fabric fabric = Fabric.valueOf(args[1]);
        try (Node node = Node.launch(context(fabric))) {
            if (args[0].equals("serve")) {
                serve(node, fabric);
            } else {
                flood(node, args[2]);
            }
            while (System.in.read() >= 0) {}
        }
    }

    private static void serve(Node node, Fabric fabric) {
        InboxOptions small = new InboxOptions().maxMessage(64 << 10).memoryLimit(8 << 20);
        node.openInbox("sink", small).onMessage(message -> {});
        node.openResponder("echo").onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));
        node.openResponder("silent").onRequest(request -> {});
        node.share("table", 1 << 20);
        System.out.println(READY + fabric.listen(node) + "/ " + node.nicId() + " " + Fabric.TCP.listen(node) + "/");
    }

    private static void flood(Node node, String address) {
        Channel channel = node.connect(address + "sink", Duration.ofSeconds(20));
        System.out.println(READY + address + " " + node.nicId());
        Thread flood = new Thread(() -> {
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            while (channel.offer(message, 0, message.capacity()) != SendResult.CLOSED) {
                Thread.onSpinWait();
            }
        });
        flood.setDaemon(true);
        flood.start();
    }

    /** What this JVM opens of the JDK's modules, a JVM that it starts needs too. */
    private static List<String> openedModules() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .toList();
    }
}
