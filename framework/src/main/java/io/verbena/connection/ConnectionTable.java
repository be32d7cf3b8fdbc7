package io.verbena.connection;

import io.verbena.mux.SharedConnection;
import io.verbena.mux.SharedQueuePair;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.append.SenderQuota;
import io.verbena.rate.agent.ConnectedPeers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.agrona.collections.Int2IntCounterMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The connections that there are, by queue pair and stream, with a queue pair of their own or one that they share.
 *
 * <p>Under the lock of {@link Connections}.
 */
final class ConnectionTable {
    /** Requests by which all connections together may grow. */
    private static final int MAX_GROWN = 128 << 10;

    private final Long2ObjectHashMap<Connection> byNumber = new Long2ObjectHashMap<>();
    private final Int2IntCounterMap ofGroups = new Int2IntCounterMap(0); // connections by their group's index
    private final ConnectionMaker maker;
    private final Retirement retirement;
    private final Shares shares;
    private final String node;
    private final int maxConnections;
    private final LongConsumer makeRoom;
    private int grown; // requests that connections may have under way beyond the first

    /**
     * Creates an empty table.
     *
     * @param retirement has the connections that may go where numbers are short
     * @param makeRoom is told how many requests can end in errors at a time
     */
    ConnectionTable(ConnectionMaker maker, Retirement retirement, ConnectionSettings settings, LongConsumer makeRoom) {
        this.maker = maker;
        this.retirement = retirement;
        this.shares = new Shares(settings.sharing());
        this.node = settings.node();
        this.maxConnections = settings.maxConnections();
        this.makeRoom = makeRoom;
    }

    // ---- finding ----------------------------------------------------------------------------------------------------

    private static long key(int number, int stream) {
        return ((long) number << Short.SIZE) | stream;
    }

    /** A connection by the number of its queue pair here, which no other shares; or null. */
    @Nullable
    Connection numbered(int number) {
        return shares.isShared(number) ? null : byNumber.get(key(number, ConnectionMaker.FIRST_STREAM));
    }

    /** A connection by its queue pair here and its stream; or null. */
    @Nullable
    Connection find(int number, int stream) {
        return byNumber.get(key(number, stream));
    }

    /** The queue pairs that connections share. */
    Shares shares() {
        return shares;
    }

    /** Connections of a tenant, with a queue pair of their own or not. */
    int of(PerformanceGroup group) {
        return ofGroups.get(group.index());
    }

    /** All that there are now. */
    List<Connection> all() {
        return List.copyOf(byNumber.values());
    }

    /** Tells of those that messages go or come by. */
    void flows(ConnectedPeers.Flow flow) {
        for (Connection c : byNumber.values()) {
            if (c.state == Connection.OPEN || c.state == Connection.ACCEPTED) {
                boolean isDelivered = c.kind == ConnectionFlyweight.INBOX;
                flow.take(c.peerNic, c.group, isDelivered, c.messages());
            }
        }
    }

    /** The connection that a datagram is about; or null. */
    @Nullable
    Connection find(long peerNic, ConnectionFlyweight datagram) {
        Connection c = byNumber.get(key(datagram.receiverQp(), datagram.receiverStream()));
        return c != null
                        && c.peerNic == peerNic
                        && c.peer.qp() == datagram.senderQp()
                        && c.peerStream == datagram.senderStream()
                ? c
                : null;
    }

    /** A queue pair has met an error. @return the connections that end with it, unless that is known */
    List<Connection> broken(int number) {
        SharedQueuePair pair = shares.broken(number);
        boolean known = pair == null && shares.isShared(number);
        int last = known ? 0 : pair == null ? ConnectionMaker.FIRST_STREAM : pair.streams();
        List<Connection> ended = new ArrayList<>();
        for (int stream = ConnectionMaker.FIRST_STREAM; stream <= last; stream++) {
            Connection c = byNumber.get(key(number, stream));
            if (c != null) {
                ended.add(c);
            }
        }
        return ended;
    }

    // ---- making -----------------------------------------------------------------------------------------------------

    /**
     * Makes a connection that this side asks for.
     *
     * @param waits whether it may share a queue pair that the peer does not know yet
     */
    Connection ask(NewConnection wanted, boolean waits) {
        SharedConnection among = shares.enter(wanted);
        try {
            Connection c;
            if (among == null || !shares.shares(among)) {
                c = create(wanted, SenderQuota.NONE);
            } else {
                SharedQueuePair pair = shares.choose(among, !waits);
                c = pair == null ? found(wanted, among, SenderQuota.NONE) : join(wanted, pair);
            }
            c.among = among;
            return c;
        } catch (RuntimeException e) {
            if (among != null) {
                shares.leave(among, wanted.name());
            }
            throw e;
        }
    }

    /**
     * Makes a connection that a peer asks for.
     *
     * @param messages what comes by a queue pair that is made for it counts against them
     * @throws NotSharedException if it is to share a queue pair and cannot
     */
    Connection accept(NewConnection wanted, ConnectionFlyweight request, SenderQuota messages) {
        boolean joins = request.receiverQp() != 0;
        boolean founds = request.status() == ConnectionFlyweight.SHARED;
        if (!joins && !founds) {
            return create(wanted, messages);
        }
        if (!Shares.mayShare(wanted.kind(), wanted.settings())) {
            throw new NotSharedException("'" + wanted.name() + "' wants a queue pair for each connection", true);
        }
        if (founds) {
            return found(wanted, null, messages);
        }
        return join(wanted, shares.joined(wanted, request));
    }

    /** Makes a connection with a queue pair of its own and lists it. */
    Connection create(NewConnection wanted, SenderQuota messages) {
        return list(withRoom(wanted, () -> maker.make(wanted, messages)));
    }

    /** Makes the first connection of a queue pair that others will share, and lists it. */
    Connection found(NewConnection wanted, @Nullable SharedConnection among, SenderQuota messages) {
        SharedQueuePair pair = withRoom(wanted, () -> maker.shared(wanted.owner(), messages, shares.settings()));
        try {
            Connection c = joined(wanted, pair);
            if (among != null) {
                among.add(pair);
            }
            return c;
        } catch (RuntimeException e) {
            pair.queuePair().close();
            throw e;
        }
    }

    /** Makes a connection that shares a queue pair, and lists it. */
    Connection join(NewConnection wanted, SharedQueuePair pair) {
        return withRoom(wanted, () -> joined(wanted, pair));
    }

    private Connection joined(NewConnection wanted, SharedQueuePair pair) {
        Connection c = maker.join(wanted, pair);
        shares.add(c, wanted);
        return list(c);
    }

    private Connection list(Connection c) {
        byNumber.put(key(c.number(), c.stream()), c);
        ofGroups.incrementAndGet(c.group);
        makeRoomForErrors();
        return c;
    }

    /** Makes something; where numbers are short, takes those of connections that wait only for stragglers. */
    private <T> T withRoom(NewConnection wanted, Supplier<T> made) {
        PerformanceGroup group = wanted.owner().pd().group();
        try {
            checkNumber(group);
            return made.get();
        } catch (IllegalStateException e) {
            if (retirement.isEmpty()) {
                throw e;
            }
            retirement.retireAll(false);
            checkNumber(group);
            return made.get();
        }
    }

    private void checkNumber(PerformanceGroup group) {
        if (byNumber.size() >= maxConnections) {
            throw new IllegalStateException("node '" + node + "' has " + maxConnections
                    + " connections, its maximum; raise NodeContext.maxConnections");
        }
        int most = group.query().maxQueuePairs();
        if (of(group) >= most) {
            throw new IllegalStateException(
                    "tenant '" + group.name() + "': connections " + (of(group) + 1L) + " > maximum " + most);
        }
    }

    // ---- growing ----------------------------------------------------------------------------------------------------

    /** Lets a connection have more requests under way. @return false if as many have grown as may */
    boolean grow(Connection c, int requests) {
        int more = Math.max(0, requests - Math.max(c.path.depth(), c.path.fullDepth()));
        if (c.state >= Connection.CLOSED || grown + more > MAX_GROWN) {
            return false;
        }
        grown += more;
        c.grown += more;
        makeRoomForErrors();
        c.path.resize(requests);
        return true;
    }

    /** A connection has as many requests again as at first. */
    void shrink(Connection c) {
        if (c.path.depth() > c.path.firstDepth() && c.state < Connection.CLOSED) {
            c.path.resize(c.path.firstDepth());
            grown -= c.grown;
            c.grown = 0;
        }
    }

    /** Requests that connections may have under way beyond the first. */
    int grown() {
        return grown;
    }

    private void makeRoomForErrors() {
        long apart = (long) byNumber.size() - shares.members();
        long together = shares.queuePairs() * maker.mostErrors(true) + shares.members(); // each of which may be refused
        makeRoom.accept(apart * maker.mostErrors(false) + together + grown);
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** A connection is gone; a queue pair that it shared goes with the last. */
    void remove(Connection c) {
        byNumber.remove(key(c.number(), c.stream()));
        ofGroups.decrementAndGet(c.group);
        grown -= c.grown;
        if (c.shared != null) {
            shares.retire(c, c.shared);
        }
    }
}
