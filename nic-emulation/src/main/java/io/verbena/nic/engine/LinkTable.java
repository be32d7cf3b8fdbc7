package io.verbena.nic.engine;

import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.engine.ReceiveSchedule.Source;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlDescriptor;
import io.verbena.nic.port.Arrivals;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An engine's links, and its paths: a path is what queue pairs know of a peer NIC, and outlives the links that come and
 * go under it.
 *
 * <p>A few links are asked each turn whether something has come. When there are more, each link that can is given a
 * number, under which its peer (or its socket's handler) sets a bit in the control block, and only links whose bits are
 * set are asked: an idle link costs nothing. In which order, and how often, {@link ReceiveSchedule} says; one link
 * needs no order.
 *
 * <p>Used under the baton, but for {@link #arrived} and {@link #hasInbound}.
 */
final class LinkTable implements Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(LinkTable.class);

    /** Up to this many links are asked each turn. */
    private static final int FEW = 8;

    /** Most packets that a link is polled for in a turn while there is no other. */
    private static final int PACKETS_ALONE = 64;

    private final int engine;
    private final long nicId;
    private final ControlBlock control;
    private final TransportServices services;
    private final TailPointerTable appendQueues;
    private final Executor later;
    private final Long2ObjectHashMap<Path> paths = new Long2ObjectHashMap<>();

    /** Threads within {@link #hasInbound}, which may see a link that is gone. */
    private final AtomicInteger lookers = new AtomicInteger();

    /** Links that are closed and forgotten, to be released when nobody looks at them. */
    private final List<Link> gone = new ArrayList<>();

    private final LogRateLimiter reports = new LogRateLimiter();
    private final LogRateLimiter turnedAway = new LogRateLimiter();
    private int socketLinks;

    private final ReceiveSchedule schedule = new ReceiveSchedule();

    // Read by hasInbound, which is for any thread and may see what was a moment ago: written before the array is.
    private volatile Source[] polled = {}; // asked each turn
    private volatile boolean announcing;

    // Links that announce, by number.
    private @Nullable Source[] numbered = {};
    private final BitSet numbers = new BitSet();

    // The round under way.
    private Source[] asked = {};
    private int nextAsked;
    private boolean shared; // some have more than a visit takes

    /**
     * Creates an empty table.
     *
     * @param engine index of the engine
     * @param nicId of this NIC
     * @param control of this NIC
     * @param services told what a link's coming and going means
     * @param appendQueues told of initiators that are dead
     * @param later runs what any thread gives it under the baton, soon
     */
    LinkTable(
            int engine,
            long nicId,
            ControlBlock control,
            TransportServices services,
            TailPointerTable appendQueues,
            Executor later) {
        this.engine = engine;
        this.nicId = nicId;
        this.control = control;
        this.services = services;
        this.appendQueues = appendQueues;
        this.later = later;
    }

    /** The path to a NIC; made, without a link, if there is none. */
    Path path(long peerNic) {
        Path path = paths.get(peerNic);
        if (path == null) {
            path = new Path(peerNic);
            paths.put(peerNic, path);
        }
        return path;
    }

    /** The path to a NIC, or null if there is none. */
    @Nullable
    Path find(long peerNic) {
        return paths.get(peerNic);
    }

    /** Links whose bytes come through the waiter's I/O. */
    int socketLinks() {
        return socketLinks;
    }

    /** Whether a packet has arrived on any link, or a link has gone. Any thread. */
    boolean hasInbound() {
        if (schedule.isWaiting() || (announcing && control.hasArrivals(engine))) {
            return true;
        }
        lookers.incrementAndGet();
        try {
            for (Source source : polled) {
                Link link = source.link;
                if (link.hasInbound() || link.state() != Link.State.UP) {
                    return true;
                }
            }
            return false;
        } finally {
            lookers.decrementAndGet();
        }
    }

    @Override
    public void arrived(int of) {
        VarHandle.fullFence();
        control.markArrival(engine, of & (ControlDescriptor.MAX_ANNOUNCING - 1));
    }

    // ---- a round over the links that may have something ----------------------------------------------------------

    /** Begins a round. */
    void begin() {
        if (!gone.isEmpty()) {
            releaseGone();
        }
        asked = polled;
        nextAsked = 0;
        shared = announcing || schedule.isWaiting();
        if (!shared) {
            return;
        }
        for (Source source : asked) {
            schedule.offer(source);
        }
        if (announcing) {
            for (long words = control.takeArrivals(engine); words != 0; words &= words - 1) {
                offerAnnounced(Long.numberOfTrailingZeros(words));
            }
        }
        schedule.begin();
    }

    private void offerAnnounced(int word) {
        for (long bits = control.takeArrivals(engine, word); bits != 0; bits &= bits - 1) {
            int number = (word << 6) + Long.numberOfTrailingZeros(bits);
            Source source = number < numbered.length ? numbered[number] : null;
            if (source != null) {
                schedule.offer(source);
            }
        }
    }

    /** The next link that may have something, to be polled for {@link #visit} packets; null when the round is over. */
    @Nullable
    Source next() {
        if (shared) {
            return schedule.next();
        }
        return nextAsked < asked.length ? asked[nextAsked++] : null;
    }

    /** Most packets that a link is polled for in this round. */
    int visit() {
        return asked.length == 1 && !shared ? PACKETS_ALONE : ReceiveSchedule.VISIT;
    }

    /**
     * A packet has come from the link that {@link #next} gave.
     *
     * @param group of the queue pair that takes it; null if none does
     */
    void charge(@Nullable FlowGroup group, int bytes) {
        if (shared) {
            schedule.charge(group, bytes);
        }
    }

    /** The link that {@link #next} gave had packets; whether it may have more. */
    void received(Source source, boolean more) {
        if (shared) {
            schedule.received(source, more);
        } else if (more && asked.length > 1) { // who is alone is asked again anyway
            schedule.defer(source);
        }
    }

    // ---- coming and going ----------------------------------------------------------------------------------------

    private int size() {
        return polled.length + numbers.cardinality();
    }

    private void add(Link link) {
        Source source = schedule.add(link);
        addPolled(source);
        if (announcing) {
            letAnnounce(source);
        } else if (polled.length > FEW) {
            announcing = true;
            for (Source each : polled) {
                letAnnounce(each);
            }
        }
    }

    private void letAnnounce(Source source) {
        int free = numbers.nextClearBit(0);
        if (free == ControlDescriptor.MAX_ANNOUNCING) {
            return;
        }
        if (free >= numbered.length) {
            numbered = Arrays.copyOf(numbered, Math.max(64, free * 2));
        }
        // Numbers of different engines differ, for the peer knows the NIC and not the engine.
        if (source.link.announceTo(this, (engine * ControlDescriptor.MAX_ANNOUNCING) + free)) {
            numbered[free] = source;
            numbers.set(free);
            source.number = free;
            removePolled(source);
            arrived(free); // what came before it could announce
        }
    }

    private void addPolled(Source source) {
        Source[] more = Arrays.copyOf(polled, polled.length + 1);
        more[polled.length] = source;
        polled = more;
    }

    private void removePolled(Source source) {
        List<Source> rest = new ArrayList<>(Arrays.asList(polled));
        rest.remove(source);
        polled = rest.toArray(Source[]::new);
    }

    private void remove(Source source) {
        schedule.remove(source);
        if (source.number < 0) {
            removePolled(source);
        } else {
            numbered[source.number] = null;
            numbers.clear(source.number);
        }
        if (announcing && size() <= FEW / 2) {
            for (int i = numbers.nextSetBit(0); i >= 0; i = numbers.nextSetBit(i + 1)) {
                Source each = numbered[i];
                numbered[i] = null;
                if (each != null) {
                    each.link.announceTo(null, -1);
                    each.number = -1;
                    addPolled(each);
                }
            }
            numbers.clear();
            announcing = false;
        }
    }

    /** A link is up: its peer's queue pairs go on over it. */
    void attach(Link link) {
        Path path = path(link.peerNic());
        Link before = path.link();
        boolean loopback = link.peerNic() == nicId; // both ends are here
        if (!loopback && before != null && before.state() == Link.State.UP && link.peerMemory() == null) {
            services.count(NicCounter.LINKS_REJECTED);
            long leftOut = reports.ask(System.nanoTime());
            if (leftOut >= 0) {
                LOG.warn(
                        "{}: {} is not used, for there is a {}; {} such lines left out",
                        services,
                        link,
                        before,
                        leftOut);
            }
            close(link);
            return;
        }
        try {
            path.attach(link);
        } catch (RuntimeException e) { // the peer's memory is not what it should be; that concerns this link alone
            long leftOut = turnedAway.ask(System.nanoTime());
            if (leftOut >= 0) {
                LOG.warn("{} turned away {}: {}; {} such lines left out", services, link, e.getMessage(), leftOut);
            }
            services.count(NicCounter.LINKS_REJECTED);
            close(link);
            return;
        }
        if (before != null && before != link && before.state() == Link.State.DEAD) {
            peerDied(path, before); // and is back before this was seen; its old link is no more than closed when it is
        }
        add(link);
        PeerMemory memory = link.peerMemory();
        if (memory == null) {
            socketLinks++;
        } else {
            memory.onRetired(() -> later.execute(() -> path.letGo(memory)));
        }
        if (!loopback && before != null && before != link && isOver(before)) {
            before.close(); // what has come by it comes again by the new one, and not in between
        }
        for (int i = 0; i < path.queuePairs().size(); i++) {
            services.attach(path.queuePairs().get(i)); // a link of another kind may have another output
        }
        services.unblock(path);
        for (int i = 0; i < path.queuePairs().size(); i++) {
            goOn(path.queuePairs().get(i));
        }
        services.event(AsyncEventType.PORT_ACTIVE, link.peerNic());
    }

    /** Whether a link is of no use beside a new one: it broke, or the peer's memory is the better way. */
    private static boolean isOver(Link link) {
        return link.state() != Link.State.UP || link.peerMemory() == null;
    }

    /** A queue pair's path has a new link. */
    private void goOn(QpContext qp) {
        try {
            qp.requester().linkReplaced();
        } catch (RuntimeException | Error e) {
            services.broken(qp, e);
        }
        services.schedule(qp);
    }

    /**
     * The link that {@link #next} gave is not up: closes it; a dead peer's queue pairs fail, others wait for a next
     * link.
     */
    void detach(Source source) {
        Link link = source.link;
        remove(source);
        if (link.peerMemory() == null) {
            socketLinks--;
        }
        Path path = paths.get(link.peerNic());
        boolean dead = link.state() == Link.State.DEAD;
        close(link);
        if (path == null || path.link() != link) {
            return;
        }
        path.detach();
        services.event(AsyncEventType.PORT_ERR, link.peerNic());
        for (int i = 0; i < path.queuePairs().size(); i++) {
            services.attach(path.queuePairs().get(i)); // nothing can be executed on the peer's memory any more
        }
        if (dead) {
            peerDied(path, link);
        } else {
            for (int i = 0; i < path.queuePairs().size(); i++) {
                services.schedule(path.queuePairs().get(i)); // starts the timers of those that have work
            }
        }
        forgetUnused(path);
    }

    /** A link's own work has met an exception: it is closed, and the next round finds it so. Other links go on. */
    void broken(Link link, Throwable cause) {
        services.count(NicCounter.LINKS_BROKEN);
        long leftOut = reports.ask(System.nanoTime());
        if (leftOut >= 0) {
            LOG.error("{}: {} is closed, others go on; {} such lines left out", services, link, leftOut, cause);
        }
        try {
            link.close();
        } catch (RuntimeException | Error e) {
            cause.addSuppressed(e);
        }
    }

    /** Forgets a path that leads nowhere if nobody goes along it any more: peers that were here once leave nothing. */
    void forgetUnused(Path path) {
        if (path.isUnused()) {
            paths.remove(path.peerNic(), path);
        }
    }

    /** Links that were closed are released when no thread is looking at what was in the table then. */
    private void releaseGone() {
        if (lookers.get() == 0) {
            for (Link link : gone) {
                link.release();
            }
            gone.clear();
        }
    }

    /** The process at the other end of a link that broke is gone: what waits for another link fails now. */
    void peerDied(Link link) {
        Path path = paths.get(link.peerNic());
        Link now = path == null ? null : path.link();
        if (path != null && (now == null || now == link)) {
            peerDied(path, link);
            forgetUnused(path);
        }
    }

    private void peerDied(Path path, Link link) {
        PeerMemory memory = link.peerMemory();
        if (memory != null) {
            appendQueues.initiators().abandonAll(path.peerNic(), engine, memory.gone());
        }
        for (int i = path.queuePairs().size() - 1; i >= 0; i--) {
            QpContext qp = path.queuePairs().get(i);
            try {
                qp.requester().peerDied();
            } catch (RuntimeException | Error e) {
                services.broken(qp, e);
            }
        }
    }

    /** Closes and forgets all links. */
    void closeAll() {
        for (Source source : polled) {
            close(source.link);
        }
        for (Source source : numbered) {
            if (source != null) {
                close(source.link);
            }
        }
        paths.values().forEach(Path::detach);
        polled = new Source[0];
        numbers.clear();
        Arrays.fill(numbered, null);
        announcing = false; // what they announced last is nobody's work
        schedule.clear();
    }

    /** Releases what {@link #closeAll} has closed; the engine is closed and does no turns any more. */
    void releaseAll() {
        releaseGone();
    }

    private void close(Link link) {
        gone.add(link);
        try {
            link.close();
        } catch (RuntimeException | Error e) {
            LOG.error("{}: {} could not be closed", services, link, e);
        }
    }
}
