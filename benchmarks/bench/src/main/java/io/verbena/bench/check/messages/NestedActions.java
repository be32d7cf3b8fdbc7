package io.verbena.bench.check.messages;

import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeMode;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What a callback must not do to its own node: drive it, wait for it, connect. Each either does nothing or is refused
 * with a clear exception; no other callback runs inside.
 */
final class NestedActions {
    private static final Duration WAIT = Duration.ofNanos(1000);

    private final Node node;
    private final Entrance entrance;
    private final SplittableRandom random;

    NestedActions(Node node, Entrance entrance, SplittableRandom random) {
        this.node = node;
        this.entrance = entrance;
        this.random = random;
    }

    /** Does one of them. Inside a callback of the node. */
    void act() {
        // Whoever enters the loop inside this callback runs this task there.
        node.eventLoop().execute(() -> entrance.enter("a task of the event loop", () -> {}));
        switch (random.nextInt(4)) {
            case 0:
                refused("doWork", () -> {
                    int work = node.doWork();
                    if (work > 0) {
                        entrance.report("doWork inside a callback to do nothing", work + " units of work");
                    }
                });
                break;
            case 1:
                refused("await", () -> {
                    if (node.mode() == NodeMode.INVOKER) {
                        node.await(WAIT);
                    }
                });
                break;
            case 2:
                refused(
                        "connect",
                        () -> node.connect("local:" + node.name() + "/" + HubInbox.BRIEF.inbox(), Duration.ofMillis(50))
                                .close());
                break;
            default:
                break;
        }
    }

    private void refused(String what, Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException | ConnectionException e) {
            if (e.getMessage() == null || e.getMessage().isBlank()) {
                entrance.report(what + " to be refused with a reason", "an exception without one");
            }
        }
    }
}
