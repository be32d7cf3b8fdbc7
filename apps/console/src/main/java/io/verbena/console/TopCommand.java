package io.verbena.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena top}: the tenants of a node that runs, what they are entitled to and what they get. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Shows the tenants of a node once a second: weight, entitled and actual "
                    + "share, rates, waiting times. A line with a",
            "tenant's number and a new weight, such as '2 30', changes the weight while traffic runs; 'q' ends.%n"
        })
public final class TopCommand implements Callable<Integer> {
    private static final Pattern CHANGE = Pattern.compile("\\s*(\\d{1,4})\\s+(\\d{1,9})\\s*");
    private static final double MIN = 0.1;
    private static final double MAX = 5; // a node turns out who says nothing for 10 s
    private static final String QUIT = "q";
    private static final String PROMPT = "number and weight, or q: ";
    private static final String HOME = "\033[H";
    private static final String CLEAR = "\033[2J" + HOME;
    private static final String REST_OF_LINE = "\033[K\n";
    private static final String SAVE = "\0337";
    private static final String RESTORE = "\0338";
    private static final String BELOW = "\033[J";

    @Parameters(index = "0", arity = "0..1", paramLabel = "<socket>", description = "The node's administration socket.")
    @Nullable
    Path socket;

    @Option(names = "--once", description = "Print one table over an interval, and end.")
    boolean once;

    @Option(names = "--demo", description = "Show a node that this command starts, with two tenants that send.")
    boolean demo;

    @Option(
            names = "--interval",
            paramLabel = "<seconds>",
            defaultValue = "1",
            description = "How long the shares are taken over; default ${DEFAULT-VALUE}.")
    double interval = 1;

    @Spec
    @Nullable
    CommandSpec spec;

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;

    /** Shows on the standard streams. */
    public TopCommand() {
        this(System.in, System.out, System.err);
    }

    TopCommand(InputStream in, PrintStream out, PrintStream err) {
        this.in = in;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Path path = socket;
        if (interval < MIN || interval > MAX) {
            throw new ParameterException(
                    spec().commandLine(), "--interval " + interval + " outside " + MIN + ".." + MAX);
        }
        if (demo == (path != null)) {
            throw new ParameterException(spec().commandLine(), "name the socket of a node, or --demo");
        }
        try {
            if (path == null) {
                demonstrate();
            } else {
                show(path);
            }
            return 0;
        } catch (ConsoleException e) {
            err.println("top: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private void demonstrate() throws InterruptedException {
        try (TopDemo running = new TopDemo()) {
            show(running.socket());
        }
    }

    private CommandSpec spec() {
        CommandSpec own = spec;
        if (own == null) {
            throw new IllegalStateException("not run as a command");
        }
        return own;
    }

    private void show(Path path) throws InterruptedException {
        try (AdminClient node = new AdminClient(path)) {
            List<TenantState> before = node.list();
            long begin = System.nanoTime();
            if (once) {
                Thread.sleep((long) (interval * 1e3));
                List<TenantState> now = node.list();
                TopView.lines(before, now, System.nanoTime() - begin).forEach(out::println);
                out.flush();
                return;
            }
            watch(node, before, begin);
        }
    }

    /** Until the user ends it, or the node does. */
    private void watch(AdminClient node, List<TenantState> first, long begin) throws InterruptedException {
        BlockingQueue<String> typed = read();
        List<TenantState> before = first;
        long since = begin;
        List<String> table = List.of();
        String message = "";
        out.print(CLEAR);
        boolean prompt = true;
        while (true) {
            long left = (long) (interval * 1e9) - (System.nanoTime() - since);
            String line = typed.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
            if (line == null) {
                List<TenantState> now = node.list();
                long at = System.nanoTime();
                List<String> lines = TopView.lines(before, now, at - since);
                prompt |= lines.size() != table.size();
                table = lines;
                before = now;
                since = at;
            } else if (line.equals(QUIT)) {
                out.println();
                return;
            } else {
                message = change(node, before, line);
                prompt = true;
            }
            draw(table, message, prompt);
            prompt = false;
        }
    }

    /** Above the prompt, where what is being typed stays; the prompt itself only when it must be. */
    private void draw(List<String> table, String message, boolean prompt) {
        StringBuilder screen = new StringBuilder();
        screen.append(prompt ? "" : SAVE).append(HOME);
        for (String each : table) {
            screen.append(each).append(REST_OF_LINE);
        }
        screen.append(message).append(REST_OF_LINE);
        screen.append(prompt ? PROMPT + BELOW : RESTORE);
        out.print(screen);
        out.flush();
    }

    /** Does what a line says. @return what became of it */
    private static String change(AdminClient node, List<TenantState> tenants, String line) {
        if (line.isBlank()) {
            return "";
        }
        Matcher matcher = CHANGE.matcher(line);
        if (!matcher.matches()) {
            return "'" + line.strip() + "' is no number of a tenant and a weight, such as: 2 30";
        }
        int number = Integer.parseInt(matcher.group(1));
        int weight = Integer.parseInt(matcher.group(2));
        if (number < 1 || number > tenants.size()) {
            return "tenant " + number + " outside 1.." + tenants.size();
        }
        String name = tenants.get(number - 1).name();
        try {
            node.weight(name, weight);
            return name + " has weight " + weight;
        } catch (ConsoleException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private BlockingQueue<String> read() {
        BlockingQueue<String> typed = new LinkedBlockingQueue<>();
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            typed.add(line);
                        }
                    } catch (IOException e) {
                        return; // nothing can be typed any more; the view goes on
                    }
                },
                "typed");
        reader.setDaemon(true);
        reader.start();
        return typed;
    }
}
