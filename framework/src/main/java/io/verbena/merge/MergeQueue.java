package io.verbena.merge;

import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.QpState;
import java.util.function.BooleanSupplier;

/**
 * The operations of all threads on one region that wait to be posted, in the order in which they came. Whoever adds one
 * and finds nobody draining drains: it takes up to {@value MergeSettings#BATCH}, reads and writes, plans and posts
 * them, until nothing is left that can go. Others find their operations taken. Nobody waits for more to come; what
 * cannot go now, for want of window or of room in the send queue, is planned again together with what came meanwhile.
 *
 * <p>Concurrency: one thread at a time drains, as {@link DrainBaton} says; what a long drain leaves undone is for
 * whoever polls.
 */
final class MergeQueue {
    private final MergePeer peer;
    private final MergeMemory memory;
    private final MergeRequests requests;
    private final WorkRequests work;
    private final MergeSettings settings;
    private final Admissions admissions;
    private final Runnable wake;
    private final MergeCounters counters = new MergeCounters();

    private final DrainBaton baton = new DrainBaton();
    private final BooleanSupplier round = this::drainBatch;
    private volatile boolean over; // nothing will be posted or complete any more
    private volatile int gone; // operations that do not wait here any more; compares with tickets

    // Of whoever drains.
    private final MergePlan plan;
    private final ReadsUnderWay reads;
    private final SendRequest request = new SendRequest();
    private final Batch batch = new Batch();
    private int goneCount;
    private boolean broken;
    private boolean settled; // after it was over
    private Admission admission = new Admission();

    /** Operations that were taken and not posted. */
    private static final class Batch {
        final int[] waiting = new int[MergeSettings.BATCH]; // tickets, oldest first
        final boolean[] leaves = new boolean[MergeSettings.BATCH]; // which of them were posted
        int count;
        int next; // the ticket after those
    }

    /**
     * Creates it, empty; {@link #open} must follow.
     *
     * @param admissions accounts of the tenant
     * @param wake wakes who polls
     */
    MergeQueue(
            MergePeer peer,
            MergeMemory memory,
            MergeRequests requests,
            WorkRequests work,
            MergeSettings settings,
            Admissions admissions,
            Runnable wake) {
        this.peer = peer;
        this.memory = memory;
        this.requests = requests;
        this.work = work;
        this.settings = settings;
        this.admissions = admissions;
        this.wake = wake;
        this.plan = new MergePlan(requests, settings.merges());
        this.reads = new ReadsUnderWay(peer.path().depth());
    }

    /** Opens its part of the tenant's account for the peer's node. Before anything is added. */
    void open() {
        admission = admissions.join(peer.nic(), this);
    }

    /** The account that it is a part of. */
    Admission admission() {
        return admission;
    }

    /** Bytes that it lets be under way now. */
    long window() {
        return work.window().bytes();
    }

    MergeCounters counters() {
        return counters;
    }

    // ---- any thread -------------------------------------------------------------------------------------------------

    /** Whether operations that were accepted have not been posted. */
    boolean holdsUnposted() {
        int before = gone; // first: then it is not ahead
        return ClaimRing.distance(before, memory.claims().next()) > 0;
    }

    /** Whether a drainer has left something to whoever polls. */
    boolean isLeft() {
        return baton.isLeft();
    }

    /** Posts what can go now, or has the thread do so that is at it. */
    void drain() {
        baton.drain(round, wake);
    }

    /** Keeps what is added from being posted until {@link #release}. @return whether that must follow */
    boolean hold() {
        return baton.hold();
    }

    /** Posts what was added meanwhile. */
    void release() {
        baton.release(round, wake);
    }

    /** Nothing completes any more: what is under way ends, and what waits, and memory is given back. */
    void over() {
        over = true;
        drain();
    }

    // ---- whoever drains ---------------------------------------------------------------------------------------------

    /** @return whether more might be posted at once */
    private boolean drainBatch() {
        take();
        if (over || !canPost()) {
            return abandon();
        }
        if (batch.count == 0) {
            return false;
        }
        plan.make(
                batch.waiting,
                batch.count,
                MergeSettings.maxMerged(work.window().bytes()));
        int posted = 0;
        while (posted < plan.runs() && post(posted)) {
            posted++;
        }
        if (posted > 0 && settings.chains()) {
            peer.path().flush();
            MergeCounters.add(counters.doorbells, 1);
            MergeCounters.add(counters.chained, posted - 1L);
        }
        boolean all = posted == plan.runs();
        removePosted();
        return broken || (all && requests.isPublished(batch.next));
    }

    private boolean canPost() {
        return !broken && peer.path().state() == QpState.RTS && !peer.isOver();
    }

    private void take() {
        while (batch.count < MergeSettings.BATCH && requests.isPublished(batch.next)) {
            int slot = requests.slot(batch.next);
            requests.take(slot);
            if (requests.kinds[slot] == MergeRequests.VOID) {
                requests.end(slot, false);
                goneCount++;
            } else {
                batch.waiting[batch.count++] = batch.next;
                MergeCounters.add(counters.operations, 1);
            }
            batch.next = ClaimRing.after(batch.next);
        }
        gone = goneCount;
    }

    private void removePosted() {
        int kept = 0;
        for (int i = 0; i < batch.count; i++) {
            if (batch.leaves[i]) {
                batch.leaves[i] = false;
                goneCount++;
            } else {
                batch.waiting[kept++] = batch.waiting[i];
            }
        }
        batch.count = kept;
        gone = goneCount;
    }

    /** Posts a run. @return false if it cannot go now */
    private boolean post(int run) {
        int length = plan.length(run);
        if (!work.hasRoom()) {
            return false;
        }
        if (!admission.tryTake(length, work.window().bytes())) {
            countWaits(run);
            return false;
        }
        int number = work.next();
        int first = requests.slot(plan.ticket(run, 0));
        prepare(run, first);
        fenceBehindReads(requests.kinds[first], requests.offsets[first], length);
        link(run);
        work.fill(plan.ticket(run, 0), length);
        if (!enqueue(number)) {
            admission.giveBack(length, this);
            return false;
        }
        work.posted();
        for (int i = 0; i < plan.size(run); i++) {
            batch.leaves[plan.index(run, i)] = true;
        }
        if (requests.kinds[first] == MergeRequests.READ) {
            reads.add(number, requests.offsets[first], length, work.ended());
        }
        MergeCounters.add(counters.workRequests, 1);
        if (plan.size(run) > 1) {
            MergeCounters.add(counters.merged, plan.size(run));
        }
        if (!settings.chains()) {
            peer.path().flush();
            MergeCounters.add(counters.doorbells, 1);
        }
        return true;
    }

    private boolean enqueue(int number) {
        try {
            if (peer.path().enqueue(request.wrId(number)) == PostResult.POSTED) {
                return true;
            }
            baton.leave();
        } catch (IllegalStateException e) {
            broken = true; // it was closed meanwhile
        }
        return false;
    }

    private void countWaits(int from) {
        int waits = 0;
        for (int run = from; run < plan.runs(); run++) {
            for (int i = 0; i < plan.size(run); i++) {
                int slot = requests.slot(plan.ticket(run, i));
                if (!requests.waited[slot]) {
                    requests.waited[slot] = true;
                    waits++;
                }
            }
        }
        MergeCounters.add(counters.waited, waits);
    }

    private void fenceBehindReads(byte kind, long offset, int length) {
        if (kind != MergeRequests.READ && reads.overlap(offset, length, work.ended())) {
            request.fence();
            MergeCounters.add(counters.fenced, 1);
        }
    }

    private void link(int run) {
        int size = plan.size(run);
        for (int i = 0; i < size; i++) {
            requests.nexts[requests.slot(plan.ticket(run, i))] =
                    i + 1 < size ? plan.ticket(run, i + 1) : MergeRequests.NONE;
        }
    }

    private void prepare(int run, int first) {
        int key = peer.regionKey();
        long offset = requests.offsets[first];
        switch (requests.kinds[first]) {
            case MergeRequests.READ -> request.read(key, offset);
            case MergeRequests.WRITE -> request.write(key, offset);
            case MergeRequests.COMPARE_SWAP ->
                request.compareSwap(key, offset, requests.operands[first], requests.values[first]);
            default -> request.fetchAdd(key, offset, requests.values[first]);
        }
        int length = requests.lengths[first];
        if (plan.size(run) == 1
                && requests.kinds[first] == MergeRequests.WRITE
                && length <= peer.path().maxInline()
                && memory.isOwn(first)) {
            request.inline(memory.buffer(first), (int) memory.offset(first), length);
        } else {
            addEntries(run);
        }
    }

    /** Adds where the bytes lie here; what lies one after the other is one entry. */
    private void addEntries(int run) {
        int slot = requests.slot(plan.ticket(run, 0));
        int key = memory.key(slot);
        long offset = memory.offset(slot);
        int length = requests.lengths[slot];
        for (int i = 1; i < plan.size(run); i++) {
            slot = requests.slot(plan.ticket(run, i));
            if (memory.key(slot) == key && memory.offset(slot) == offset + length) {
                length += requests.lengths[slot];
                continue;
            }
            request.local(key, offset, length);
            key = memory.key(slot);
            offset = memory.offset(slot);
            length = requests.lengths[slot];
        }
        request.local(key, offset, length);
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** Nothing can be posted any more: what waits ends. @return whether more waits */
    private boolean abandon() {
        for (int i = 0; i < batch.count; i++) {
            requests.end(requests.slot(batch.waiting[i]), false);
            goneCount++;
        }
        boolean ended = batch.count > 0;
        batch.count = 0;
        gone = goneCount;
        if (over) {
            settle();
        }
        if (ended) {
            wake.run();
        }
        return requests.isPublished(batch.next);
    }

    private void settle() {
        if (!settled) {
            settled = true;
            long bytes = 0;
            for (int number = work.ended(); number != work.next(); number++) {
                bytes += work.bytes(number);
                endAll(number, false);
            }
            work.ended(work.next());
            admissions.leave(peer.nic(), this);
            admission.giveBack(bytes, this);
        }
        if (batch.next == memory.claims().next()) { // and there will be no more
            memory.close();
            admissions.ended(this);
        }
    }

    /** All operations of a work request have ended. Whoever takes completions, or settles. */
    void endAll(int number, boolean done) {
        int ticket = work.first(number);
        while (ticket != MergeRequests.NONE) {
            int slot = requests.slot(ticket);
            ticket = requests.nexts[slot]; // before another operation gets the slot
            requests.end(slot, done);
        }
    }
}
