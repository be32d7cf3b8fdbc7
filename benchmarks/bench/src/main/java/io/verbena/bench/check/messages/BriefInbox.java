package io.verbena.bench.check.messages;

import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Node;

/** An inbox that is open for a moment: once it is closed, nothing more comes to its callback. */
final class BriefInbox implements AutoCloseable {
    /** A message that the callback has begun to take when the close returns is not after it. */
    private static final long GRACE_NANOS = 20_000_000_000L;

    private final Inbox inbox;
    private volatile long closed;

    BriefInbox(Node node, Findings findings) {
        inbox = node.openInbox(
                HubInbox.BRIEF.inbox(),
                new InboxOptions().chunkLength(64 << 10).reserveChunks(1).maxMessage(16 << 10));
        inbox.onMessage(m -> {
            long since = closed;
            if (since != 0 && System.nanoTime() - since > GRACE_NANOS) {
                findings.report(new Flaw(
                        FlawKind.AFTER_CLOSE,
                        "node '" + node.name() + "', " + HubInbox.BRIEF,
                        String.valueOf(m.channel()),
                        0,
                        -1,
                        "no message after the close",
                        "one of " + m.length() + " bytes"));
            }
        });
    }

    @Override
    public void close() {
        inbox.close();
        closed = System.nanoTime() | 1;
    }
}
