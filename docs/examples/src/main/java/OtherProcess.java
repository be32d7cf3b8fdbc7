import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A program of this project in a JVM of its own, which ends with this one; lines go both ways. */
final class OtherProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader in;
    private final PrintWriter out;

    OtherProcess(Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--")) // the flag that this one was started with
                .forEach(command::add);
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** The next line that it prints. */
    String line() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("the other process has ended");
        }
        return line;
    }

    void tell(String line) {
        out.println(line);
    }

    /** kill -9. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        out.close(); // the end of its input ends it
        try {
            if (!process.waitFor(20, java.util.concurrent.TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** In the other process: waits until the parent has closed it, or is gone. */
    static void awaitParent() throws IOException {
        while (System.in.read() >= 0) {
            // lines that nobody waits for
        }
    }
}
