package io.verbena.papers.rdmabox;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RegionStatistics;
import io.verbena.SendResult;
import io.verbena.merge.MergingOperations;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostPoller;
import io.verbena.nic.sim.SimThread;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The product's merging operations ({@link MergingOperations}) by a queue pair of the simulated host. Threads pay for
 * what they do there:
 *
 * <pre>
 *   who posts   a line there and back for the claim, another for the queue, and the copy of what is written
 *   who drains  a line an operation that it takes, and posts and doorbells for what becomes of them
 *   who polls   a look, its completions, the copy of what was read, and drains what waited for the window
 * </pre>
 *
 * <p>Whoever drains holds the queue until it has paid: what others post meanwhile waits, and may merge. After {@value
 * #MAX_ROUNDS} rounds it leaves the rest to who polls, as the product does.
 */
final class MergingPair implements RemoteAccess, HostPoller.Taker {
    private static final int MAX_ROUNDS = 16;
    private static final int CLAIM_LINES = 4;

    private final MergingOperations operations;
    private final PostedPath path;
    private final HostCompletionQueue completions;
    private final HostModel host;
    private final UnsafeBuffer application; // written from and read to
    private final List<MergingPair> sharing; // of the same window, this one too
    private @Nullable SimThread taker; // of completions
    private boolean isLeft; // to who polls, which has to drain
    private long taken; // operations
    private long polled; // completions

    /**
     * Creates it.
     *
     * @param operations by the path, of the completions
     * @param longest operation, in bytes
     * @param sharing its window: all of these, this one too
     */
    MergingPair(
            MergingOperations operations,
            PostedPath path,
            HostCompletionQueue completions,
            HostModel host,
            int longest,
            List<MergingPair> sharing) {
        this.sharing = sharing;
        this.operations = operations;
        this.path = path;
        this.completions = completions;
        this.host = host;
        this.application = new UnsafeBuffer(new byte[longest]);
    }

    @Override
    public HostCompletionQueue completions() {
        return completions;
    }

    /** What became of the operations. */
    RegionStatistics statistics() {
        return operations.statistics();
    }

    // ---- who posts --------------------------------------------------------------------------------------------------

    @Override
    public void move(SimThread by, boolean reads, long offset, int bytes, int count, Ending ending) {
        OperationHandler handler = (id, outcome, value) -> onEnd(outcome, reads ? bytes : 0, ending);
        long copyNanos = reads ? 0 : host.copyNanos(bytes);
        by.run(count * (CLAIM_LINES * host.lineNanos() + copyNanos)).then(() -> {
            operations.together(() -> {
                for (int i = 0; i < count; i++) {
                    post(reads, offset + (long) i * bytes, bytes, handler);
                }
            });
            payDrained(by, 1);
        });
    }

    private void post(boolean reads, long offset, int bytes, OperationHandler handler) {
        SendResult result = reads
                ? operations.read(offset, application, 0, bytes, 0, handler)
                : operations.write(offset, application, 0, bytes, 0, handler);
        if (result != SendResult.SENT) {
            throw new IllegalStateException("an operation was refused: " + result);
        }
    }

    // ---- who drains -------------------------------------------------------------------------------------------------

    /** A thread pays for what it has drained just now, if anything, and drains what came meanwhile. */
    private void payDrained(SimThread by, int round) {
        if (path.isPaid()) {
            return;
        }
        if (!operations.hold()) {
            throw new IllegalStateException("two threads drain");
        }
        long now = operations.statistics().operations();
        by.run((now - taken) * host.lineNanos());
        taken = now;
        path.pay(by);
        by.then(() -> {
            if (round == MAX_ROUNDS) {
                isLeft = true;
                by.systemCalls(1);
            } else {
                operations.resume();
                payDrained(by, round + 1);
            }
        });
    }

    // ---- who polls --------------------------------------------------------------------------------------------------

    private void onEnd(Outcome outcome, int copied, Ending ending) {
        BoxWorld.check(outcome);
        SimThread by = taker;
        if (by == null) {
            throw new IllegalStateException("an operation has ended, and nobody polls");
        }
        by.run(host.copyNanos(copied)).then(() -> ending.ended(by));
    }

    @Override
    public int take(SimThread by, int limit) {
        taker = by;
        long completed = path.completed();
        int told = operations.poll(limit);
        long ended = completed - polled;
        polled = completed;
        by.run(host.pollNanos() + ended * host.completionNanos());
        boolean drains = isLeft;
        if (isLeft) {
            isLeft = false;
            operations.resume();
        }
        for (MergingPair each : sharing) { // which may have waited for the window
            drains |= !each.path.isPaid();
            each.payDrained(by, 1);
        }
        return told > 0 ? told : ended > 0 || drains ? 1 : 0;
    }

    @Override
    public boolean isAsked() {
        return isLeft;
    }
}
