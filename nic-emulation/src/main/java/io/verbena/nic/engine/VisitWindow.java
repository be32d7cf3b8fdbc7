package io.verbena.nic.engine;

import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.port.Link;
import io.verbena.nic.transport.MappedQueue;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.PathWindow;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import org.jspecify.annotations.Nullable;

/**
 * How much a visit may add to what is on its way to a peer: the window of the path, or of a queue in the peer's memory,
 * while several groups send there, and what leaves urgent packets little to wait behind. Used under the baton.
 */
final class VisitWindow {
    /** Nanoseconds of a path's least delay for each of which bulk beside urgent flows may have a window on its way. */
    private static final long LONG_DELAY = 1_000_000;

    private final TransportServices services;
    private @Nullable PathWindow bound; // where who is visited sends, if others do too

    VisitWindow(TransportServices services) {
        this.services = services;
    }

    /** A visit begins, which no window bounds so far. */
    void begin() {
        bound = null;
    }

    /**
     * Bytes that may be added to what a link carries: what the path's window leaves while several groups send there,
     * and while urgent packets are not to wait behind more, a window here and another on its way to the peer.
     */
    int onLink(Path path, FlowGroup group, boolean contended) {
        Link link = path.link();
        if (link == null || link.state() != Link.State.UP) {
            return Integer.MAX_VALUE; // nothing goes there: who has work finds that out by itself
        }
        int room = Integer.MAX_VALUE;
        PathWindow window = path.window();
        if (contended && window.binds(group, services)) {
            room = window.room(path.underWay(services.now()), services.now());
            if (room <= 0) {
                link.wakeBelow(window.limit());
                return room;
            }
            bound = window;
        }
        int urgent = path.output().bulkWindow();
        return urgent == Integer.MAX_VALUE ? room : Math.min(room, besideUrgent(path, link, urgent));
    }

    /**
     * Bytes that may be added to a queue in mapped memory: what the window leaves that bounds it while several groups
     * send.
     */
    int inQueue(Path path, MappedQueue queue, FlowGroup group) {
        PathWindow window = path.window(queue);
        if (!window.binds(group, services)) {
            return Integer.MAX_VALUE;
        }
        bound = window;
        long now = services.now();
        return window.room(path.underWay(window, queue, now), now);
    }

    /** Where the peer takes long to look, what is urgent waits for that: bulk may fill the time. */
    private static int besideUrgent(Path path, Link link, int window) {
        long delays = Math.max(1, path.window().leastDelay() / LONG_DELAY);
        int onTheWay = (int) Math.min(Integer.MAX_VALUE, 2L * window * delays);
        int room = Math.min(window - link.unsent(), onTheWay - link.ahead(onTheWay));
        if (room <= 0) {
            link.wakeBelow(window / 2);
        }
        return room;
    }

    /** Whether a link that was full for bulk has sent enough of it. */
    boolean hasRoom(Path path) {
        Link link = path.link();
        int urgent = path.output().bulkWindow();
        return link == null
                || (path.window().hasRoom(path.underWay(services.now()))
                        && (urgent == Integer.MAX_VALUE || besideUrgent(path, link, urgent) > 0));
    }

    /** Tells the window that bounds a queue pair, if there is one, what its visit has added. */
    void sent(QpContext qp, int bytes) {
        PathWindow window = bound;
        qp.contended = window != null;
        Path path = qp.path();
        if (path == null || !path.contention().isContended()) {
            return;
        }
        if (window != null) {
            window.sent(bytes, services);
        }
        if (window != path.window()) {
            path.contention().sent(bytes);
        }
    }
}
