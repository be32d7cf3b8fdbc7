package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.PeerShare;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.RemoteKeys;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way to one peer NIC: the link that is up now, and the peer's memory where it is mapped. Outlives its link: when
 * the link breaks and another one to the same NIC comes, the queue pairs of the path go on where they were.
 *
 * <p>Used under the engine's baton.
 */
public final class Path {
    private static final long NEVER = Long.MIN_VALUE;

    /** A link that moves nothing for so long may do so for good. */
    private static final long STUCK_NANOS = 10_000_000;

    private final long peerNic;
    private final List<QpContext> queuePairs = new ArrayList<>();
    private final List<QpContext> blocked = new ArrayList<>();

    private @Nullable Link link;
    private @Nullable ControlBlock peerControl;
    private @Nullable RemoteKeys remoteKeys;
    private @Nullable Appender remoteAppender;
    private final OutputQueue output = new OutputQueue();
    private final Contention contention = new Contention();
    private final PathWindow window = new PathWindow(contention);
    private final List<MappedQueue> counted =
            new ArrayList<>(); // that the peer's engine takes, and that may hold something
    private @Nullable MappedQueue[] queues = {}; // of the peer's, by number, those that were appended to
    private @Nullable PeerShare[] shares = {}; // of this NIC's queues, by number, those that the peer appended to
    private volatile boolean flushCostly; // of the link
    private boolean touched;
    private long noRoomSince = NEVER;
    private boolean stuck; // and it was said

    /**
     * Creates a path without a link.
     *
     * @param peerNic identity of the NIC at its end
     */
    public Path(long peerNic) {
        this.peerNic = peerNic;
    }

    /** Identity of the NIC at the path's end. */
    public long peerNic() {
        return peerNic;
    }

    /** Queue pairs that are connected along this path. */
    public List<QpContext> queuePairs() {
        return queuePairs;
    }

    /** Whether queue pairs have work and wait for the link without standing behind its {@link #output}. */
    public boolean hasBlocked() {
        return !blocked.isEmpty();
    }

    /** A queue pair that waits for nothing yet waits for the link from now on. */
    public void block(QpContext qp) {
        qp.blockedOn = this;
        qp.blockedAt = blocked.size();
        blocked.add(qp);
    }

    /** A queue pair waits no more for the link; it did. In constant time: thousands may wait. */
    public void unblock(QpContext qp) {
        QpContext last = blocked.remove(blocked.size() - 1);
        if (last != qp) {
            blocked.set(qp.blockedAt, last);
            last.blockedAt = qp.blockedAt;
        }
        qp.blockedOn = null;
    }

    /** One that waited for the link and does no more; null if none does. */
    public @Nullable QpContext unblockOne() {
        if (blocked.isEmpty()) {
            return null;
        }
        QpContext last = blocked.get(blocked.size() - 1);
        unblock(last);
        return last;
    }

    /** What fills up for all queue pairs whose packets go over the link. */
    public OutputQueue output() {
        return output;
    }

    /** Whether several groups send to the peer, in whichever way; if not, no window needs a look. */
    public Contention contention() {
        return contention;
    }

    /**
     * What bounds the bytes under way to the peer's engine, on the link and in mapped queues, while several groups send
     * there.
     */
    public PathWindow window() {
        return window;
    }

    /**
     * What bounds the bytes in a mapped queue: the path's window if the peer's engine takes them, else the queue's own.
     */
    public PathWindow window(MappedQueue queue) {
        if (!queue.isTakenByEngine()) {
            return queue.window();
        }
        if (!queue.counted) {
            queue.counted = true;
            counted.add(queue);
        }
        return window;
    }

    /** Bytes under way that a window of this path bounds. */
    public int underWay(PathWindow of, MappedQueue queue, long now) {
        return of == window ? underWay(now) : queue.unread(now);
    }

    /** Bytes that the peer's engine has not taken: those on the link, and those in mapped queues. */
    public int underWay(long now) {
        Link l = link;
        long bytes = l == null ? 0 : l.ahead(window.limit());
        for (int i = counted.size() - 1; i >= 0; i--) {
            MappedQueue queue = counted.get(i);
            int unread = queue.isTakenByEngine() ? queue.unread(now) : 0;
            if (unread > 0) {
                bytes += unread;
            } else {
                queue.counted = false;
                MappedQueue last = counted.remove(counted.size() - 1);
                if (last != queue) {
                    counted.set(i, last);
                }
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** What who appends to a mapped queue stands behind: what is short for all of them; null if nothing is. */
    public @Nullable OutputQueue output(MappedQueue queue) {
        if (contention.isContended() && window(queue) == window) {
            return output;
        }
        return queue.hasRefused() || queue.window().isContended() ? queue.output() : null;
    }

    /** What the peer may have in an append queue of this NIC's. */
    PeerShare share(int queueId) {
        if (queueId >= shares.length) {
            shares = Arrays.copyOf(shares, queueId + 1);
        }
        PeerShare share = shares[queueId];
        if (share == null) {
            share = new PeerShare();
            shares[queueId] = share;
        }
        return share;
    }

    /** Bytes that the link needs for a packet on top of the packet's own: who sends it is charged them too. */
    int overhead() {
        return output.overhead();
    }

    /** The link, or null while there is none. It may be down. */
    public @Nullable Link link() {
        return link;
    }

    /** Whether a flush of the link costs a system call. Any thread: as the last link that it has seen. */
    boolean isFlushCostly() {
        return flushCostly;
    }

    /** Whether packets can be sent now. */
    public boolean isUp() {
        Link l = link;
        return l != null && l.state() == Link.State.UP;
    }

    /**
     * Checks that the link carries packets of an MTU, headers included, if there is a link.
     *
     * @throws IllegalArgumentException if it does not; names both values
     */
    public void checkMtu(int pathMtu) {
        Link l = link;
        if (l != null && pathMtu + Opcode.MAX_HEADER_LENGTH > l.maxPacket()) {
            throw new IllegalArgumentException("path MTU " + pathMtu + " and headers of " + Opcode.MAX_HEADER_LENGTH
                    + " bytes > largest packet of the link, " + l.maxPacket());
        }
    }

    /**
     * Takes a link that came up; maps the peer's control block if there is a direct path.
     *
     * @throws IllegalStateException if what the peer shows is no control block; nothing has changed then
     */
    public void attach(Link newLink) {
        PeerMemory memory = newLink.peerMemory();
        ControlBlock control = memory == null ? null : ControlBlock.map(memory.control());
        RemoteKeys keys = control == null || memory == null ? null : new RemoteKeys(control, memory);
        Appender appender = control == null || memory == null ? null : new Appender(control, memory);
        link = newLink;
        flushCostly = newLink.isFlushCostly();
        output.overhead(newLink.overhead());
        window.restart();
        peerControl = control;
        remoteKeys = keys;
        remoteAppender = appender;
        queues = new MappedQueue[0];
        counted.clear();
    }

    /** A queue of the peer's that is mapped here; null if there is none of that number. */
    @Nullable
    MappedQueue queue(int id) {
        if (id >= 0 && id < queues.length) {
            MappedQueue known = queues[id];
            if (known != null) {
                return known;
            }
        }
        Appender appender = remoteAppender;
        if (appender == null || !appender.mayHave(id)) {
            return null;
        }
        if (id >= queues.length) {
            queues = Arrays.copyOf(queues, id + 1);
        }
        MappedQueue queue = new MappedQueue(appender, id);
        queues[id] = queue;
        return queue;
    }

    /** The link is gone, and with it the peer's memory: nothing here leads there any more. */
    public void detach() {
        link = null;
        peerControl = null;
        remoteKeys = null;
        remoteAppender = null;
        counted.clear();
    }

    /** Whether it leads nowhere and nobody goes along it. */
    public boolean isUnused() {
        return link == null && queuePairs.isEmpty() && blocked.isEmpty() && !touched;
    }

    /**
     * Lets go of segments that the peer has given back, so that their memory goes back to the operating system. Under
     * the baton no operation is under way, so views that are kept from one to the next are all that leads there.
     *
     * @param memory of a link of this path; if another link has come since, the collector does it
     */
    public void letGo(PeerMemory memory) {
        Link now = link;
        Appender appender = remoteAppender;
        RemoteKeys keys = remoteKeys;
        if (now == null || now.peerMemory() != memory || appender == null || keys == null) {
            return;
        }
        memory.letGo(segment -> {
            appender.forget(segment);
            keys.forget(segment);
            return true;
        });
    }

    /** The peer's control block where the direct path is open. */
    public @Nullable ControlBlock peerControl() {
        return peerControl;
    }

    /** The peer's keys where the direct path is open. */
    public @Nullable RemoteKeys remoteKeys() {
        return remoteKeys;
    }

    /** The peer's append queues where the direct path is open. */
    public @Nullable Appender remoteAppender() {
        return remoteAppender;
    }

    /** Whether an append of that length to that queue of the peer's is one copy to mapped memory, as is known now. */
    public boolean appendsDirectly(int queueId, int length) {
        Appender appender = remoteKeys == null ? null : remoteAppender;
        return appender != null && !appender.isTooLongForChunk(queueId, length);
    }

    /**
     * Marks it as touched.
     *
     * @return whether it was not yet
     */
    public boolean touch() {
        boolean was = touched;
        touched = true;
        return !was;
    }

    /**
     * Its link had no room in this turn.
     *
     * @return whether that has been so for long, without a packet either way; said once
     */
    public boolean noRoom(long now) {
        if (touched || stuck) {
            return false;
        }
        if (noRoomSince == NEVER) {
            noRoomSince = now;
        }
        stuck = now - noRoomSince > STUCK_NANOS;
        return stuck;
    }

    /**
     * Whether it is up, and something has gone over it since it had no room. If not, who waits keeps its timer, so that
     * somebody looks at a link that moves nothing; whether that counts as a retry {@link #isFlowing} says.
     */
    boolean takesPackets() {
        return noRoomSince == NEVER && isUp();
    }

    /** Whether it is up, and has not been without room for long. */
    boolean isFlowing() {
        return isUp() && !stuck;
    }

    /** The turn in which it was touched is over. */
    public void settle() {
        touched = false;
        noRoomSince = NEVER;
        stuck = false;
    }
}
