package io.verbena;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.port.LogLimit;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the application is to be told of connections, in order. Noted by whoever changes a connection, under locks; told by
 * whoever does the node's work, without any.
 *
 * <p>Thread-safe; one thread at a time tells.
 */
final class Notices {
    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

    private final String nodeName;
    private final Engine engine;
    private final List<ChannelListener> listeners = new CopyOnWriteArrayList<>();
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final LogLimit failures = new LogLimit();

    Notices(String nodeName, Engine engine) {
        this.nodeName = nodeName;
        this.engine = engine;
    }

    void addListener(ChannelListener listener) {
        listeners.add(listener);
    }

    /** Something else that the application is to be told. */
    void add(Runnable notice) {
        waiting.add(notice);
        engine.wake();
    }

    void connected(Channel channel) {
        waiting.add(() -> listeners.forEach(listener -> listener.onConnect(channel)));
    }

    /** A connection is over. Listeners hear of those that were open. */
    void closed(Connection connection, boolean wasOpen) {
        Channel channel = connection.channel;
        RemoteRegion region = connection.region;
        if (region != null) {
            waiting.add(region::onClosed);
        }
        if (channel != null) {
            waiting.add(channel::closed);
            if (wasOpen) {
                waiting.add(() -> listeners.forEach(listener -> listener.onClose(channel)));
            }
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * Tells all that waits.
     *
     * @return how much that was
     */
    int tell() {
        int told = 0;
        for (Runnable notice = waiting.poll(); notice != null; notice = waiting.poll()) {
            told++;
            try {
                notice.run();
            } catch (RuntimeException e) {
                long leftOut = failures.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error("node '{}': a listener failed; {} such lines left out", nodeName, leftOut, e);
                }
            }
        }
        return told;
    }
}
