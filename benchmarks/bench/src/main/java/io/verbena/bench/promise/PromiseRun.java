package io.verbena.bench.promise;

import io.verbena.verification.Waits;
import io.verbena.verification.fabric.FabricKind;
import org.jspecify.annotations.Nullable;

/**
 * Measures cells, one after the other. Nodes are made anew for each; the process at the far end stays for those of a
 * fabric, so that only its first cell is cold, and warms up longer.
 */
final class PromiseRun implements AutoCloseable {
    private static final double SECONDS_TO_FOLLOW = 1;

    private final double warmup;
    private final double seconds;
    private final double coldSeconds;
    private @Nullable FarEnd far;
    private @Nullable FabricKind fabric;

    PromiseRun(double warmup, double seconds, double coldSeconds) {
        this.warmup = warmup;
        this.seconds = seconds;
        this.coldSeconds = coldSeconds;
    }

    /** Measures one; one that cannot be measured has an outcome too. */
    CellOutcome measure(Cell cell) {
        boolean cold = cell.fabric() != fabric;
        try {
            return measure(cell, farEnd(cell.fabric()), cold);
        } catch (RuntimeException e) {
            close(); // what failed is not to hurt the next one
            return CellOutcome.failed(e.toString());
        }
    }

    private FarEnd farEnd(FabricKind kind) {
        FarEnd open = far;
        if (open == null || kind != fabric) {
            close();
            open = kind == FabricKind.LOCAL ? new Receiver() : ReceiverProcess.start();
            far = open;
            fabric = kind;
        }
        return open;
    }

    private CellOutcome measure(Cell cell, FarEnd end, boolean cold) {
        String address = end.open(cell);
        try (Flood flood = new Flood(cell, address)) {
            Waits.sleep(warmup + (cold ? coldSeconds : 0));
            if (cell.weights().changes()) {
                Waits.sleep(seconds / 2);
                flood.change(cell.weights());
                Waits.sleep(SECONDS_TO_FOLLOW);
            }
            return count(flood, end);
        }
    }

    private CellOutcome count(Flood flood, FarEnd end) {
        Flood.Offered first = flood.offered(0);
        Flood.Offered second = flood.offered(1);
        long begin = System.nanoTime();
        long[] before = end.counts();
        Waits.sleep(seconds);
        long[] after = end.counts();
        double elapsed = (System.nanoTime() - begin) / 1e9;
        return new CellOutcome(
                after[0] - before[0],
                after[1] - before[1],
                after[2] - before[2],
                flood.offered(0).since(first),
                flood.offered(1).since(second),
                elapsed,
                null);
    }

    @Override
    public void close() {
        FarEnd open = far;
        far = null;
        fabric = null;
        if (open != null) {
            open.close();
        }
    }
}
