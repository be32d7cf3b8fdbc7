package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A thread of an application whose memory is paged to a peer: it uses the pages of a trace, and computes with each. At
 * a fault it reads the page and those that it reads ahead, a request a page, and sleeps until all have come; pages that
 * lose their frame and were written leave before, and are not waited for.
 */
final class PagedApplication implements SimTask {
    /** Bytes. */
    static final int PAGE = 4096;

    /** Pages of a block, which lies with one connection, and which is the most that is read ahead. */
    static final int BLOCK = 32;

    private static final int MAX_WRITES = 32;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);

    private final List<? extends RemoteAccess> ways;
    private final PageTrace trace;
    private final ResidentSet resident;
    private final Runnable onEnd;
    private final ArrayDeque<Move> moves = new ArrayDeque<>();
    private int left;
    private int reads; // under way
    private int writes;
    private int follows = -1; // the page that a reader in order would fault at next
    private int window = 1; // pages to read at a fault

    private record Move(boolean reads, int page, int pages) {}

    /**
     * A thread that has not started.
     *
     * @param resident of all threads
     * @param uses of pages until it ends
     * @param onEnd called then
     */
    PagedApplication(
            List<? extends RemoteAccess> ways, PageTrace trace, ResidentSet resident, int uses, Runnable onEnd) {
        this.ways = List.copyOf(ways);
        this.trace = trace;
        this.resident = resident;
        this.left = uses;
        this.onEnd = onEnd;
    }

    @Override
    public void step(SimThread self) {
        Move move = moves.peek();
        if (move != null && (move.reads || writes < MAX_WRITES)) {
            moves.remove();
            start(self, move);
        } else if (move != null || reads > 0) {
            self.park(LONGEST);
        } else if (left == 0) {
            onEnd.run();
            self.end();
        } else {
            left--;
            use(self, trace.next());
        }
    }

    private void use(SimThread self, int page) {
        if (!resident.has(page)) {
            fault(page);
        }
        resident.use(page, trace.isWritten());
        self.run(trace.computeNanos());
    }

    private void fault(int page) {
        window = page == follows ? Math.min(BLOCK, 2 * window) : 1;
        int pages = 0;
        int end = Math.min(page + window, (page / BLOCK + 1) * BLOCK);
        while (page + pages < end && !resident.has(page + pages)) {
            int old = resident.admit(page + pages);
            if (old >= 0) {
                moves.add(new Move(false, old, 1));
            }
            pages++;
        }
        moves.add(new Move(true, page, pages));
        follows = page + pages;
    }

    private void start(SimThread self, Move move) {
        if (move.reads) {
            reads += move.pages;
        } else {
            writes++;
        }
        ways.get(move.page / BLOCK % ways.size())
                .move(self, move.reads, (long) move.page * PAGE, PAGE, move.pages, by -> ended(self, move.reads));
    }

    private void ended(SimThread self, boolean read) {
        if (read) {
            reads--;
        } else {
            writes--;
        }
        if (read ? reads == 0 : reads == 0 && !moves.isEmpty()) {
            self.wake();
        }
    }
}
