package io.verbena.kv.server;

import io.verbena.InboxShares;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients of a shard with replies that wait for the end of a turn, so that what a turn answers costs one doorbell a
 * client. Beside other tenants turns are short. There the replies of a tenant that has more requests waiting stay for
 * some turns; those of one that has none leave at once.
 *
 * <p>Used by the shard's owner alone.
 */
final class UnsentReplies {
    /** Turns after which all replies leave. */
    private static final int MAX_TURNS = 4;

    private final List<ReplyTarget> targets = new ArrayList<>();
    private int turns; // since all have left

    /** A client has been given a reply. */
    void add(ReplyTarget target) {
        if (!target.unflushed) {
            target.unflushed = true;
            targets.add(target);
        }
    }

    /** A turn ends that took no requests, or all there were: all replies leave. */
    void flush() {
        turns = 0;
        for (int i = 0; i < targets.size(); i++) {
            flush(targets.get(i));
        }
        targets.clear();
    }

    /** A turn ends after which there may be another at once. */
    void flush(InboxShares inboxes) {
        if (++turns == MAX_TURNS) {
            flush();
            return;
        }
        for (int i = targets.size() - 1; i >= 0; i--) {
            ReplyTarget target = targets.get(i);
            if (inboxes.isEmpty(target.inbox)) {
                flush(target);
                targets.remove(i);
            }
        }
    }

    private static void flush(ReplyTarget target) {
        target.unflushed = false;
        target.channel.flush();
    }
}
