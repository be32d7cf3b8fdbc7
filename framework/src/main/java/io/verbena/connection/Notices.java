package io.verbena.connection;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices to the application about connections, in order. They are noted under locks, where a connection changes, and
 * delivered without any, by the thread that does the node's work.
 *
 * <p>Thread-safe; one thread at a time tells.
 */
public final class Notices {
    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

    private final String nodeName;
    private final Engine engine;
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final LogRateLimiter failures = new LogRateLimiter();

    /** Creates them, without any. */
    public Notices(String nodeName, Engine engine) {
        this.nodeName = nodeName;
        this.engine = engine;
    }

    /** Something that the application is to be told soon. */
    public void add(Runnable notice) {
        waiting.add(notice);
        engine.wake();
    }

    /** Something that the application is to be told, by a {@link ConnectionEnd}: whoever has called that sees to it. */
    public void note(Runnable notice) {
        waiting.add(notice);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * Tells all that waits.
     *
     * @param now time of the node's clock
     * @return how much that was
     */
    int tell(long now) {
        int told = 0;
        for (Runnable notice = waiting.poll(); notice != null; notice = waiting.poll()) {
            told++;
            try {
                notice.run();
            } catch (RuntimeException e) {
                long leftOut = failures.ask(now);
                if (leftOut >= 0) {
                    LOG.error("node '{}': a listener failed; {} such lines left out", nodeName, leftOut, e);
                }
            }
        }
        return told;
    }
}
