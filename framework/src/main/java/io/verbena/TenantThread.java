package io.verbena;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A thread that runs a tenant's callbacks while the node's cannot, or must not because one of them was slow. All of a tenant's
 * callbacks move there and come back together, so that one thread at a time runs them.
 *
 * <p>Under the lock of {@link CallbackWatch}.
 */
final class TenantThread {
    private static final long FIRST_PENALTY = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_PENALTY = TimeUnit.HOURS.toNanos(1);

    private final ThreadPoolExecutor executor;
    private final List<Handoff> handoffs = new ArrayList<>();
    private final List<Inbox> inboxes = new ArrayList<>();
    private long penalty;
    private long returnAt;

    TenantThread(Tenant tenant) {
        executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "verbena-callbacks-" + tenant.name());
            thread.setDaemon(true);
            return thread;
        });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Its callbacks stay away for a while, longer each time that they had to go for it. */
    void penalize(long now, boolean again) {
        if (again) {
            penalty = penalty == 0 ? FIRST_PENALTY : Math.min(2 * penalty, LONGEST_PENALTY);
        }
        returnAt = now + penalty;
    }

    /** Moves a callback here. */
    void take(Inbox inbox, Turns turns, long now) {
        Handoff handoff = inbox.displace(executor);
        if (handoff != null) {
            if (inboxes.isEmpty() && returnAt - now < 0) {
                returnAt = now;
            }
            inboxes.add(inbox);
            handoffs.add(handoff);
            turns.add(handoff, handoff.look());
        }
    }

    /** Finds messages for those that are here. */
    int doWork(long now) {
        int work = 0;
        for (Handoff handoff : handoffs) {
            work += handoff.doWork(now);
        }
        return work;
    }

    /** Gives all back to the node's thread, by that, if it is time and none of them runs. @return whether none is here */
    boolean giveBack(Turns turns, long now) {
        if (handoffs.isEmpty()) {
            return true;
        }
        if (now - returnAt < 0) {
            return false;
        }
        int stopped = 0;
        while (stopped < handoffs.size() && handoffs.get(stopped).stop()) {
            stopped++;
        }
        if (stopped < handoffs.size()) {
            for (int i = 0; i < stopped; i++) {
                handoffs.get(i).goOn();
            }
            return false;
        }
        for (int i = 0; i < stopped; i++) {
            turns.remove(handoffs.get(i), handoffs.get(i).look());
            inboxes.get(i).takeBack();
        }
        handoffs.clear();
        inboxes.clear();
        return true;
    }
}
