package io.verbena.merge;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RegionStatistics;
import io.verbena.SendResult;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import io.verbena.remote.BlockingOperation;
import io.verbena.remote.RegionOperations;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Operations that go through a {@link MergeQueue}. Any number of threads post. Handlers are called in the order in
 * which the operations came, whatever became of them on the way.
 */
public final class MergingOperations implements RegionOperations {
    private static final int MIN_DEPTH = 1024;
    private static final int PER_WORK_REQUEST = 4;

    private final MergePeer peer;
    private final SendPath path;
    private final CompletionQueue completions;
    private final PerformanceGroup group;
    private final Engine engine;
    private final MergeMemory memory;
    private final ClaimRing claims;
    private final MergeRequests requests;
    private final WorkRequests work;
    private final MergeQueue queue;
    private final CompletionHandler onCompletion = this::onCompletion;

    // Of whoever polls.
    private int completed; // number of the next work request that completes
    private long freed; // bytes of those that have completed and were not given back
    private volatile boolean released;

    /**
     * Creates them.
     *
     * @param peer where the region is
     * @param completions of the requests that go there
     * @param pd of the tenant
     * @param admissions the tenant's
     * @param engine that calls handlers, and is woken for what a long drain leaves undone
     * @param clock the node's
     */
    public MergingOperations(
            MergePeer peer,
            CompletionQueue completions,
            ProtectionDomain pd,
            Admissions admissions,
            MergeSettings settings,
            Engine engine,
            NanoClock clock) {
        this.peer = peer;
        this.path = peer.path();
        this.completions = completions;
        this.group = pd.group();
        this.engine = engine;
        int depth = Math.max(MIN_DEPTH, PER_WORK_REQUEST * path.depth());
        this.memory = new MergeMemory(pd, settings.buffer(), depth);
        this.claims = memory.claims();
        this.requests = new MergeRequests(depth);
        this.work = new WorkRequests(path.depth(), settings.windows().get(), clock);
        this.queue = new MergeQueue(peer, memory, requests, work, settings, admissions, engine::wake);
        queue.open();
    }

    // ---- any thread -------------------------------------------------------------------------------------------------

    @Override
    public SendResult read(
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        long claim = isOpen() ? memory.claim(length) : ClaimRing.CLOSED;
        if (claim < 0) {
            return refused(claim);
        }
        int slot = memory.slot(ClaimRing.ticket(claim));
        requests.fill(slot, MergeRequests.READ, offset, length);
        requests.target(slot, target, targetOffset);
        return publish(slot, correlationId, handler);
    }

    @Override
    public SendResult read(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        return post(MergeRequests.READ, offset, localKey, localOffset, lasts, length, correlationId, handler);
    }

    @Override
    public SendResult write(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        long claim = isOpen() ? memory.claim(length) : ClaimRing.CLOSED;
        if (claim < 0) {
            return refused(claim);
        }
        int slot = memory.slot(ClaimRing.ticket(claim));
        requests.fill(slot, MergeRequests.VOID, offset, length);
        try {
            memory.buffer(slot).putBytes((int) memory.offset(slot), source, sourceOffset, length);
            requests.fill(slot, MergeRequests.WRITE, offset, length);
        } finally {
            publish(slot, correlationId, handler); // whatever happens: others come behind it
        }
        return SendResult.SENT;
    }

    @Override
    public SendResult write(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        return post(MergeRequests.WRITE, offset, localKey, localOffset, lasts, length, correlationId, handler);
    }

    private SendResult post(
            byte kind,
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        long claim = isOpen() ? memory.claim(localKey, localOffset) : ClaimRing.CLOSED;
        if (claim < 0) {
            return refused(claim);
        }
        int slot = memory.slot(ClaimRing.ticket(claim));
        requests.fill(slot, kind, offset, length);
        if (!lasts) {
            requests.keepAlone(slot); // its memory is the application's, and so are its errors
        }
        return publish(slot, correlationId, handler);
    }

    @Override
    public SendResult compareAndSwap(
            long offset, long expected, long desired, long correlationId, OperationHandler handler) {
        return postAtomic(MergeRequests.COMPARE_SWAP, offset, expected, desired, correlationId, handler);
    }

    @Override
    public SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler) {
        return postAtomic(MergeRequests.FETCH_ADD, offset, 0, addend, correlationId, handler);
    }

    private SendResult postAtomic(
            byte kind, long offset, long expected, long value, long correlationId, OperationHandler handler) {
        long claim = isOpen() ? memory.claim(Long.BYTES) : ClaimRing.CLOSED;
        if (claim < 0) {
            return refused(claim);
        }
        int slot = memory.slot(ClaimRing.ticket(claim));
        requests.fill(slot, kind, offset, Long.BYTES);
        requests.operands(slot, expected, value);
        return publish(slot, correlationId, handler);
    }

    private boolean isOpen() {
        return peer.isOpen() && path.state() == QpState.RTS;
    }

    private SendResult refused(long why) {
        if (why == ClaimRing.CLOSED) {
            return SendResult.CLOSED;
        }
        queue.counters().refused.increment();
        group.statistics().refuse(path.limit());
        return SendResult.BACK_PRESSURED;
    }

    private SendResult publish(int slot, long correlationId, OperationHandler handler) {
        requests.publish(slot, correlationId, handler);
        queue.drain();
        return SendResult.SENT;
    }

    @Override
    public void together(Runnable posts) {
        boolean holds = queue.hold();
        try {
            posts.run();
        } finally {
            if (holds) {
                queue.release();
            }
        }
    }

    /**
     * Keeps what is posted from now on, by any thread, from leaving until {@link #resume}, which must follow soon.
     *
     * @return false if another thread drains or holds now, and there is nothing to release
     */
    public boolean hold() {
        return queue.hold();
    }

    /** Lets leave what was posted since {@link #hold}. */
    public void resume() {
        queue.release();
    }

    @Override
    public boolean hasWork() {
        return requests.isEnded(claims.oldest()) || queue.isLeft() || (!released && !completions.isEmpty());
    }

    @Override
    public long outstanding() {
        return claims.outstanding();
    }

    @Override
    public boolean holdsUnposted() {
        return queue.holdsUnposted();
    }

    @Override
    public RegionStatistics statistics() {
        MergeCounters counters = queue.counters();
        return new RegionStatistics(
                counters.operations.get(),
                counters.workRequests.get(),
                counters.doorbells.get(),
                counters.merged.get(),
                counters.chained.get(),
                counters.waited.get(),
                counters.refused.sum(),
                queue.admission().inFlight(),
                work.window().bytes(),
                0);
    }

    // ---- whoever polls ----------------------------------------------------------------------------------------------

    @Override
    public int poll(int limit) {
        int told = tell(limit);
        if (told < limit) {
            if (!released) {
                takeCompletions();
            }
            drainWhatIsLeft();
            told += tell(limit - told);
        }
        return told;
    }

    @Override
    public void progress() {
        if (!released && !completions.isEmpty()) { // a turn of the engine's is not for who calls this
            takeCompletions();
        }
        drainWhatIsLeft();
    }

    private void takeCompletions() {
        if (completions.poll(onCompletion, path.depth()) > 0) {
            long bytes = freed;
            freed = 0;
            learn(bytes);
            work.ended(completed);
            queue.admission().giveBack(bytes, null);
        }
    }

    private void learn(long bytes) {
        boolean entered = engine.enterCallback(); // the window may be found by the application
        try {
            work.learn(completed - 1, bytes, queue.admission().inFlight() - bytes);
        } finally {
            if (entered) {
                engine.leaveCallback();
            }
        }
    }

    private void drainWhatIsLeft() {
        if (queue.isLeft()) {
            queue.drain();
        }
    }

    private void onCompletion(Completion completion) {
        int number = completed++;
        freed += work.bytes(number);
        queue.endAll(number, completion.isSuccess());
        if (!completion.isSuccess()) {
            peer.failed(completion.status());
        }
    }

    /** Calls the handlers of the oldest operations, as far as they have ended. */
    private int tell(int limit) {
        int told = 0;
        while (told < limit && requests.isEnded(claims.oldest())) {
            int slot = requests.slot(claims.oldest());
            if (requests.kinds[slot] == MergeRequests.VOID) {
                requests.clear(slot);
                memory.free(slot);
            } else {
                tellOne(slot);
                told++;
            }
        }
        return told;
    }

    private void tellOne(int slot) {
        OperationHandler handler = requests.handlers[slot];
        long correlationId = requests.correlationIds[slot];
        boolean done = requests.isDone(slot) && !released;
        long value = done ? takeResult(slot, handler) : 0;
        requests.clear(slot);
        memory.free(slot);
        if (handler == null) {
            return;
        }
        boolean entered = engine.enterCallback();
        try {
            handler.onOperation(correlationId, done ? Outcome.DONE : Outcome.CLOSED, value);
        } finally {
            if (entered) {
                engine.leaveCallback();
            }
        }
    }

    private long takeResult(int slot, @Nullable OperationHandler handler) {
        byte kind = requests.kinds[slot];
        if (kind == MergeRequests.COMPARE_SWAP || kind == MergeRequests.FETCH_ADD) {
            return memory.buffer(slot).getLong((int) memory.offset(slot));
        }
        MutableDirectBuffer target = requests.targets[slot];
        if (target != null && (!(handler instanceof BlockingOperation waiting) || waiting.take())) {
            target.putBytes(
                    requests.targetOffsets[slot],
                    memory.buffer(slot),
                    (int) memory.offset(slot),
                    requests.lengths[slot]);
        }
        return 0;
    }

    @Override
    public void closed() {
        queue.drain();
    }

    @Override
    public void release() {
        released = true;
        completions.close();
        claims.close();
        queue.over();
    }
}
