package io.verbena.bench.path;

import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lines that two ends tell each other while they are set up, in one process or over the pipes of two. */
public final class Rendezvous {
    private static final int SECONDS = 20;
    private static final Map<String, Object> HANDED = new ConcurrentHashMap<>();
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final BlockingQueue<String> heard;
    private final Consumer<String> voice;
    private volatile boolean ended;

    private Rendezvous(BlockingQueue<String> heard, Consumer<String> voice) {
        this.heard = heard;
        this.voice = voice;
    }

    /** Two that hear each other. */
    public static Rendezvous[] pair() {
        BlockingQueue<String> a = new LinkedBlockingQueue<>();
        BlockingQueue<String> b = new LinkedBlockingQueue<>();
        return new Rendezvous[] {new Rendezvous(a, b::add), new Rendezvous(b, a::add)};
    }

    /** With the process that started this one, over the standard streams. */
    public static Rendezvous withParent() {
        return over(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), System.out);
    }

    /** With a process that this one has started, and that calls {@link #withParent}. */
    public static Rendezvous withChild(Process child) {
        return over(
                child.inputReader(StandardCharsets.UTF_8),
                new PrintStream(child.getOutputStream(), true, StandardCharsets.UTF_8));
    }

    /** One that reads lines and prints lines; a daemon thread reads. */
    private static Rendezvous over(BufferedReader in, PrintStream out) {
        Rendezvous made = new Rendezvous(new LinkedBlockingQueue<>(), line -> {
            out.println(line);
            out.flush();
        });
        Thread reader = new Thread(
                () -> {
                    try {
                        for (String line = in.readLine(); line != null; line = in.readLine()) {
                            made.heard.add(line);
                        }
                    } catch (IOException e) {
                        made.heard.add(e.toString());
                    }
                    made.ended = true;
                },
                "rendezvous");
        reader.setDaemon(true);
        reader.start();
        return made;
    }

    /** Tells the other a line. */
    public void tell(String line) {
        voice.accept(line);
    }

    /**
     * Waits for the other's next line.
     *
     * @param idle a turn of what must go on meanwhile
     */
    public String hear(Runnable idle) {
        WaitLimit deadline = WaitLimit.ofSeconds(SECONDS, "word from the other end");
        while (true) {
            boolean last = ended;
            String line = heard.poll();
            if (line != null) {
                return line;
            }
            if (last) {
                throw new RunException("the other end is gone");
            }
            idle.run();
            deadline.run();
        }
    }

    /** Hands the other end an object; it must be in this process. */
    void hand(Object object) {
        String name = "object-" + NAMES.incrementAndGet();
        HANDED.put(name, object);
        tell(name);
    }

    /** Waits for the object that the other end hands. */
    <T> T handed(Class<T> type) {
        Object found = HANDED.remove(hear(() -> {}));
        if (found == null) {
            throw new RunException("the other end is in another process");
        }
        return type.cast(found);
    }

    /** Waits until the other is here too. */
    public void meet(Runnable idle) {
        tell("here");
        String line = hear(idle);
        if (!line.equals("here")) {
            throw new RunException("the other end says '" + line + "' where 'here' was expected");
        }
    }

    /** A line of the other, if there is one now. */
    public @Nullable String heard() {
        return heard.poll();
    }

    /** Whether the other's lines have ended, and all were heard. */
    public boolean isOver() {
        return ended && heard.isEmpty();
    }
}
