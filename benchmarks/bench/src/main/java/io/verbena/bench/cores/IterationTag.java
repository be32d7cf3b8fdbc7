package io.verbena.bench.cores;

import java.io.PrintStream;
import java.util.Locale;

/** For harnesses that measure in iterations of their own: probes before and after each, and prints its tag. */
public final class IterationTag implements AutoCloseable {
    private final CorePair cores;
    private final LineProbe probe;
    private final PrintStream out;
    private double before;

    /** To be made by the thread that measures. */
    public IterationTag(CorePair cores, PrintStream out) {
        this.cores = cores;
        this.out = out;
        probe = new LineProbe(cores);
    }

    /** An iteration begins. */
    public void begin() {
        before = probe.nanos();
    }

    /** It has ended. */
    public void end() {
        double after = probe.nanos();
        String text = cores.isPinned()
                ? String.format(
                        Locale.ROOT,
                        "[%s: a line between cores %s took %.0f ns before and %.0f ns after] ",
                        Tag.of(before, after).title(),
                        cores.text(),
                        before,
                        after)
                : "[not pinned to cores] ";
        out.print(text);
        out.flush();
    }

    @Override
    public void close() {
        probe.close();
    }
}
