package io.verbena.console;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import io.verbena.TenantOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Something to look at: a node of two tenants, one of weight 1 with small messages and one of weight 3 with large, that
 * send as fast as they can over a Unix-domain socket to another node of this process.
 */
final class TopDemo implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final long TO_STOP = TimeUnit.SECONDS.toMillis(10);
    private static final String[] NAMES = {"small", "large"};
    private static final int[] WEIGHTS = {1, 3};
    private static final int[] BYTES = {256, 64 << 10};
    private static final int LOOK = 255;

    private final DemoSockets sockets = new DemoSockets();
    private final List<Node> open = new ArrayList<>();
    private final List<Thread> senders = new ArrayList<>();
    private volatile boolean stopped;

    /** Starts to send. */
    TopDemo() {
        try {
            start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void start() {
        Node peer = opened(Node.launch(new NodeContext().name("peer").listen("uds:" + sockets.link())));
        NodeContext context = new NodeContext().name("demo").admin(sockets.admin());
        for (int i = 0; i < NAMES.length; i++) {
            context.tenant(new TenantOptions().name(NAMES[i]).weight(WEIGHTS[i]));
        }
        Node node = opened(Node.launch(context));
        for (int i = 0; i < NAMES.length; i++) {
            Inbox inbox = peer.openInbox(NAMES[i], new InboxOptions());
            inbox.onMessage(message -> {});
            Channel channel = node.tenant(NAMES[i]).connect("uds:" + sockets.link() + "/" + NAMES[i], LIMIT);
            int bytes = BYTES[i];
            Thread thread = new Thread(() -> send(channel, bytes), NAMES[i]);
            thread.setDaemon(true);
            senders.add(thread);
        }
        senders.forEach(Thread::start);
    }

    /** To be closed, the last one first. */
    private Node opened(Node made) {
        open.add(0, made);
        return made;
    }

    private void send(Channel channel, int bytes) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[bytes]);
        BackoffIdleStrategy idle = new BackoffIdleStrategy();
        for (int i = 0; (i & LOOK) != 0 || !stopped; i++) {
            SendResult result = channel.offer(message, 0, bytes);
            if (result == SendResult.CLOSED) {
                return;
            }
            idle.idle(result == SendResult.SENT ? 1 : 0);
        }
    }

    /** The node's administration socket. */
    Path socket() {
        return sockets.admin();
    }

    @Override
    public void close() {
        stopped = true;
        boolean interrupted = false;
        for (Thread each : senders) {
            try {
                each.join(TO_STOP);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        open.forEach(Node::close);
        sockets.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
