package io.verbena;

import io.verbena.connection.Notices;
import io.verbena.fabric.Nanos;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a lost channel by another one to the same address, as often as needed.
 *
 * <pre>
 *   watches ── lost ──▶ pauses ──▶ connects ── there ──▶ watches
 *                          ▲           │
 *                          └── failed ─┘  the pause doubles
 * </pre>
 *
 * <p>Thread-safe. Pauses are timed by the node's clock and end in its turns. The listener is called through
 * {@link Notices}.
 */
final class Reconnector {
    private static final Logger LOG = LoggerFactory.getLogger(Reconnector.class);

    private final Node node;
    private final Notices notices;
    private final Tenant tenant;
    private final String address;
    private final @Nullable Inbox answersTo;
    private final ChannelOptions options;
    private final ReconnectListener listener;
    private final Duration timeout;

    private long pause;
    private @Nullable Channel watched;
    private boolean stopped;

    private Reconnector(
            Node node,
            Tenant tenant,
            String address,
            @Nullable Inbox answersTo,
            ChannelOptions options,
            ReconnectListener listener,
            Duration timeout) {
        this.node = node;
        this.notices = node.notices();
        this.tenant = tenant;
        this.address = address;
        this.answersTo = answersTo;
        this.options = options;
        this.listener = listener;
        this.timeout = timeout;
    }

    /** Replaces a channel when it is lost, if its options say so. */
    static void watch(
            Channel channel,
            Node node,
            Tenant tenant,
            String address,
            @Nullable Inbox answersTo,
            ChannelOptions options,
            Duration timeout) {
        ReconnectListener listener = options.reconnectListener();
        if (listener != null) {
            ChannelOptions kept = new ChannelOptions(options);
            new Reconnector(node, tenant, address, answersTo, kept, listener, timeout).watch(channel);
        }
    }

    /** Watches a new channel. */
    private void watch(Channel channel) {
        synchronized (this) {
            watched = channel;
            pause = Nanos.of(options.firstPause());
        }
        channel.reconnector(this);
        if (channel.isOver()) {
            notices.add(() -> lost(channel)); // it may have been told before this was there to hear it
        }
    }

    /** Called on the node's thread when a channel is closed. */
    void lost(Channel channel) {
        synchronized (this) {
            if (watched != channel) {
                return; // heard already
            }
            watched = null;
            if (stopped || channel.closeReason() == CloseReason.CLOSED_HERE) {
                stopped = true;
                return;
            }
        }
        LOG.info("{} is lost ({}), and is connected again", channel, channel.closeReason());
        listener.onLost(channel);
        pauseThenConnect(channel);
    }

    private void pauseThenConnect(Channel lost) {
        long nanos;
        synchronized (this) {
            nanos = pause;
            pause = Math.min(2 * pause, Nanos.of(options.longestPause()));
        }
        node.connections().redial(nanos, () -> connect(lost));
    }

    private void connect(Channel lost) {
        if (isStopped()) {
            return;
        }
        CompletableFuture<Channel> attempt;
        try {
            attempt = node.connector().openAsync(tenant, address, answersTo, options, timeout);
        } catch (IllegalStateException e) {
            return; // the node was closed a moment ago
        }
        attempt.whenComplete((channel, failed) -> {
            if (failed == null) {
                connected(lost, channel);
            } else if (!isStopped()) {
                notices.add(() -> listener.onAttemptFailed(reason(failed)));
                pauseThenConnect(lost);
            }
        });
    }

    private static ConnectionException reason(Throwable failed) {
        Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
        return cause instanceof ConnectionException known
                ? known
                : new ConnectionException(String.valueOf(cause == null ? failed : cause.getMessage()), failed);
    }

    private void connected(Channel lost, Channel channel) {
        channel.succeeds(lost);
        if (isStopped()) {
            channel.close();
            return;
        }
        notices.add(() -> listener.onReconnected(channel)); // before its own end can be told
        watch(channel);
        LOG.info("{} is connected again", channel);
    }

    private synchronized boolean isStopped() {
        return stopped || node.isClosing();
    }

    /** Called when the application closes a channel that this replaces. */
    synchronized void stop() {
        stopped = true;
    }
}
