package io.verbena.bench.trial;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A process that burns a core and does nothing else, for so many seconds at most. */
@Command(name = "busy", description = "Burns a core; started by bench.")
public final class BusyProcess implements Callable<Integer> {
    static final String READY = "busy";
    private static final int TURNS = 1000;

    @Parameters(index = "0")
    int seconds;

    @Override
    public Integer call() {
        ParentWatch.start();
        System.out.println(READY);
        System.out.flush();
        long begin = System.nanoTime();
        long limit = TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - begin < limit) {
            for (int i = 0; i < TURNS; i++) {
                Thread.onSpinWait();
            }
        }
        return 0;
    }
}
