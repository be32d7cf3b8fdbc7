package io.verbena.nic.engine;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlDescriptor;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.transport.Path;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a turn leaves to its end, so that it is done once: links are flushed, sleeping peers woken, and completion
 * queues that were armed raise their event. Used under the baton.
 */
final class TurnEnd {
    private static final Logger LOG = LoggerFactory.getLogger(Datapath.class);

    private final NanoClock clock;
    private final Object engine; // in texts
    private final LogRateLimiter reports = new LogRateLimiter();
    private final List<Path> touched = new ArrayList<>();
    private final List<CompletionRing> completed = new ArrayList<>();

    TurnEnd(NanoClock clock, Object engine) {
        this.clock = clock;
        this.engine = engine;
    }

    /** Something was sent on a path, or taken from it, for the first time in this turn. */
    void add(Path path) {
        touched.add(path);
    }

    /** Something was completed that somebody asked to be told of. */
    void add(CompletionRing ring) {
        completed.add(ring);
    }

    /** The links are closed: nothing is flushed. */
    void forgetPaths() {
        touched.clear();
    }

    /** Flushes links and wakes peers. */
    void flush(LinkTable links) {
        for (int i = 0; i < touched.size(); i++) {
            Path path = touched.get(i);
            path.settle();
            Link link = path.link();
            if (link == null) {
                links.forgetUnused(path);
                continue;
            }
            try {
                link.flush();
                ControlBlock peer = path.peerControl();
                if (peer != null) {
                    wake(link, peer);
                }
            } catch (RuntimeException | Error e) {
                links.broken(link, e);
            }
        }
        touched.clear();
    }

    private static void wake(Link link, ControlBlock peer) {
        VarHandle.fullFence(); // what was written there first, then the looks at who has asked to be told, and who
        // sleeps
        int announcement = link.takeAnnouncement();
        if (announcement >= 0) {
            peer.markArrival(
                    announcement / ControlDescriptor.MAX_ANNOUNCING, announcement % ControlDescriptor.MAX_ANNOUNCING);
        }
        int words = peer.limits().maxEngines();
        for (int i = 0; i < words; i++) {
            if (peer.isParked(i)) {
                link.wakePeer(i);
            }
        }
    }

    /** Tells of completions. Returns whether there were any to be told of. */
    boolean raise() {
        if (completed.isEmpty()) {
            return false;
        }
        VarHandle.fullFence(); // entries first, then the look at who has asked to be told
        for (int i = 0; i < completed.size(); i++) {
            fire(completed.get(i));
        }
        completed.clear();
        return true; // also where the entries themselves were told of before
    }

    private void fire(CompletionRing ring) {
        try {
            ring.fire();
        } catch (RuntimeException | Error e) {
            long leftOut = reports.ask(clock.nanoTime());
            if (leftOut >= 0) {
                LOG.error(
                        "completion queue {} of {}: nobody could be told of completions; {} such lines left out",
                        ring.number(),
                        engine,
                        leftOut,
                        e);
            }
        }
    }
}
