package io.verbena.bench.trial;

import java.io.IOException;

/** Ends this process when the one that started it is gone: its end of our standard input closes then. */
public final class ParentWatch {
    private static final int ORPHANED = 3;

    private ParentWatch() {}

    /** Starts to watch, on a daemon thread that owns the standard input from now on. */
    public static void start() {
        Thread thread = new Thread(
                () -> {
                    try {
                        int read = 0;
                        while (read >= 0) {
                            read = System.in.read();
                        }
                    } catch (IOException e) {
                        System.err.println("the standard input broke: " + e.getMessage());
                    }
                    Runtime.getRuntime().halt(ORPHANED);
                },
                "parent-watch");
        thread.setDaemon(true);
        thread.start();
    }
}
