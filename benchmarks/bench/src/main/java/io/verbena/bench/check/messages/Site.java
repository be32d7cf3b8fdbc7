package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.TenantOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What the loads of one client have in common.
 *
 * @param run of which the client is a part
 * @param node which they send from
 * @param mode of the node
 * @param number of the client in its round
 * @param host whom they talk to
 * @param tally what is counted
 * @param arrivals what has come back to the node
 * @param entrance of the node's callbacks
 */
record Site(
        RunContext run,
        Node node,
        NodeMode mode,
        int number,
        HubHost host,
        MessageTally tally,
        NodeArrivals arrivals,
        Entrance entrance) {
    /** How long a connection may take. */
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    MessagesSettings settings() {
        return run.settings();
    }

    MessageContent content() {
        return run.content();
    }

    Findings findings() {
        return run.findings();
    }

    /** Launches the node of a client; what may differ follows from the generator. */
    static Node launch(String name, FabricName fabric, Path shared, NodeMode mode, SplittableRandom random) {
        return Node.launch(fabric.context(shared)
                .name(name)
                .mode(mode)
                .sendDepth(16 << random.nextInt(7))
                .stagingLength(64 << 10 << random.nextInt(5))
                .peerTimeout(Duration.ofSeconds(3))
                .linger(Duration.ofSeconds(10))
                .tenant(new TenantOptions().name("gold").weight(3))
                .tenant(new TenantOptions().name("tin").weight(1)));
    }

    /**
     * The first connection of a node to the hub. Where the machine is short of time a process may not come to say its
     * hello in the time that a node gives strangers: it is refused then, and tries again, until nothing has come of it
     * for too long.
     */
    Channel connectFirst(Node from, HubInbox to) {
        long end = System.nanoTime() + settings().stallNanos();
        while (true) {
            try {
                return from.connect(host.address(to.inbox()), TIMEOUT);
            } catch (ConnectionException e) {
                if (host.isDisturbed() || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    int newStream() {
        int stream = run.streams().incrementAndGet();
        if (stream > MessageContent.MAX_STREAM) {
            throw new IllegalStateException(
                    "more than " + MessageContent.MAX_STREAM + " streams: make the run shorter");
        }
        return stream;
    }

    /** A generator that follows from the run's seed and a number of its user. */
    SplittableRandom random(int user) {
        return new SplittableRandom(MessageContent.mix(settings().seed()
                + user * 31L
                + number * 1_000_003L
                + run.streams().get()));
    }

    void unexpected(String channel, int stream, String expected, String got) {
        findings()
                .report(new Flaw(
                        FlawKind.UNEXPECTED, "node '" + node.name() + "'", channel, stream, -1, expected, got));
    }
}
