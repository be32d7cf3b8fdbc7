package io.verbena.kv.server;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients of a shard with requests that wait for its overflow. They are tried again when something was moved, and some
 * time later in any case; who has waited too long fails.
 *
 * <p>Used by the shard's owner alone, but for {@link #onProgress}, {@link #hasProgress} and {@link #requests}.
 */
final class WaitingClients {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingClients.class);
    private static final long LOOK_MILLIS = 20;

    private final long timeoutMillis;
    private final WaitingRequests.Try once;
    private final List<ReplyTarget> clients = new ArrayList<>();
    private long lastRunMillis;
    private volatile int requests;
    private volatile boolean progress;

    WaitingClients(long timeoutMillis, WaitingRequests.Try once) {
        this.timeoutMillis = timeoutMillis;
        this.once = once;
    }

    /**
     * Has a request wait; or fail, if it is a piece of an upload and so many wait.
     *
     * @return false if its client is too far behind
     */
    boolean add(ReplyTarget client, DirectBuffer buffer, int offset, int length, long nowMillis) {
        if (client.isGone()) {
            return true;
        }
        if (!client.mayOverflow(buffer, offset, length)) {
            return once.execute(client, buffer, offset, length, true);
        }
        boolean isFirst = client.overflowed.isEmpty();
        try {
            if (!client.overflow(buffer, offset, length, nowMillis + timeoutMillis)) {
                return false;
            }
            if (isFirst) {
                clients.add(client);
            }
        } catch (OutOfMemoryError e) {
            LOG.error("there is no memory for a request that waits for the overflow", e);
            return false;
        }
        int before = requests;
        requests = before + 1;
        if (before == 0) {
            progress = true; // what it waits for may have come before anybody was counted
        }
        return true;
    }

    /** Something was moved. Any thread. @return whether to wake the shard: somebody waits, and it does not know yet */
    boolean onProgress() {
        if (requests == 0 || progress) {
            return false;
        }
        progress = true;
        return true;
    }

    /** Whether requests can be tried again. */
    boolean hasProgress() {
        return progress;
    }

    /** Requests that wait; any thread. */
    int requests() {
        return requests;
    }

    /** Tries requests again, if that may help. @return requests that are over */
    int run(long nowMillis) {
        if (clients.isEmpty()) {
            if (progress) {
                progress = false; // it came after the last of them; who comes next sets it again
            }
            return 0;
        }
        if (!progress && nowMillis - lastRunMillis < LOOK_MILLIS) {
            return 0;
        }
        progress = false;
        lastRunMillis = nowMillis;
        int over = 0;
        for (int i = clients.size() - 1; i >= 0; i--) {
            ReplyTarget client = clients.get(i);
            over += client.isGone() ? 0 : client.overflowed.run(client, once, nowMillis);
            if (client.overflowed.isEmpty()) {
                clients.remove(i);
            }
        }
        requests = count();
        if (over > 0 && requests > 0) {
            progress = true; // each client has had a bounded number of tries
        }
        return over;
    }

    private int count() {
        int sum = 0;
        for (int i = 0; i < clients.size(); i++) {
            sum += clients.get(i).overflowed.size();
        }
        return sum;
    }
}
