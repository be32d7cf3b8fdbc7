package io.verbena.connection;

import io.verbena.ConnectionException;
import io.verbena.mux.MuxSettings;
import io.verbena.mux.SharedConnection;
import io.verbena.mux.SharedPath;
import io.verbena.mux.SharedQueuePair;
import io.verbena.nic.arbiter.TrafficClass;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs that several connections share: which one a new connection joins, and what they have in common. The side
 * that asks decides; the first connection of a queue pair makes it on both sides, and those that follow name it.
 *
 * <p>Under the lock of {@link Connections}.
 */
final class Shares {
    /** Whose channels, to which peer; and the inbox's name, if the peer does not let it share with others. */
    private record Key(
            ConnectionOwner owner, long peerNic, @Nullable String apart) {}

    /** A shared queue pair, and the connection that it was made for. */
    private static final class Shared {
        final SharedQueuePair pair;
        final Connection founder;
        final ConnectionOwner owner;
        final List<Connection> waiting = new ArrayList<>();
        final BitSet peerStreams = new BitSet();
        final Map<PeerTerms, PeerTerms> terms = new HashMap<>(); // of few inboxes

        Shared(SharedQueuePair pair, Connection founder, NewConnection made) {
            this.pair = pair;
            this.founder = founder;
            this.owner = made.owner();
        }
    }

    private static final int MOST_TERMS = 64; // of inboxes that come and go

    private final MuxSettings settings;
    private final Map<Key, SharedConnection> outgoing = new HashMap<>();
    private final Int2ObjectHashMap<Shared> byNumber = new Int2ObjectHashMap<>();
    private int members;

    Shares(MuxSettings settings) {
        this.settings = settings;
    }

    // ---- asking -----------------------------------------------------------------------------------------------------

    /** The connections among which a new one that this side asks for counts; null if none of its kind may share. */
    @Nullable
    SharedConnection enter(NewConnection wanted) {
        if (settings.after() == Integer.MAX_VALUE || !mayShare(wanted.kind(), wanted.settings())) {
            return null;
        }
        Key all = new Key(wanted.owner(), wanted.peerNic(), null);
        SharedConnection withAll = outgoing.get(all);
        boolean apart = withAll != null && withAll.isApart(wanted.name());
        Key key = apart ? new Key(wanted.owner(), wanted.peerNic(), wanted.name()) : all;
        SharedConnection among = outgoing.computeIfAbsent(key, none -> new SharedConnection(!apart));
        among.enter(wanted.name());
        return among;
    }

    /** A connection is gone, or could not be made. */
    void leave(SharedConnection among, String inbox) {
        if (among.leave(inbox)) {
            outgoing.values().remove(among);
        }
    }

    /** Whether a connection that is made so may share. */
    static boolean mayShare(int kind, ChannelSettings s) {
        return kind == ConnectionFlyweight.INBOX
                && !s.dedicated()
                && s.trafficClass() == TrafficClass.BULK
                && s.rateLimit().isNone();
    }

    /** Whether another of these connections shares. */
    boolean shares(@Nullable SharedConnection among) {
        return among != null && !among.isRefused() && among.channels() > settings.after();
    }

    /** The queue pair that another one joins; null if one is to be made. */
    @Nullable
    SharedQueuePair choose(SharedConnection among, boolean known) {
        return among.choose(settings.queuePairs(), known);
    }

    /** How they share. */
    MuxSettings settings() {
        return settings;
    }

    /** The peer has rejected a connection. @return what to say to who wants it */
    static RuntimeException rejected(Connection c, ConnectionFlyweight rejection) {
        boolean isApart = rejection.status() == ConnectionFlyweight.APART;
        if ((rejection.status() != ConnectionFlyweight.NOT_SHARED && !isApart) || c.shared == null) {
            return new ConnectionException(rejection.text());
        }
        SharedConnection among = c.among;
        if (!isApart && !isFounder(c)) {
            c.shared.shared().complete();
        } else if (among != null) {
            among.refuse(isApart ? c.name : null);
        }
        return new NotSharedException(rejection.text(), isApart);
    }

    // ---- connections ------------------------------------------------------------------------------------------------

    /** A connection shares a queue pair, as its first or a later one. */
    void add(Connection c, NewConnection made) {
        SharedPath path = c.shared;
        if (path == null) {
            throw new IllegalArgumentException(c + " shares nothing");
        }
        members++;
        if (path.stream() == ConnectionMaker.FIRST_STREAM) {
            byNumber.put(c.number(), new Shared(path.shared(), c, made));
        }
    }

    /** Connections that share. */
    int members() {
        return members;
    }

    /** Queue pairs that are shared. */
    long queuePairs() {
        return byNumber.size();
    }

    /** Whether a connection is the one that a shared queue pair was made for. */
    static boolean isFounder(Connection c) {
        return c.shared != null && c.stream() == ConnectionMaker.FIRST_STREAM;
    }

    /** Whether a connection names a queue pair that the peer knows already. */
    static boolean joins(Connection c) {
        return c.shared != null && c.stream() != ConnectionMaker.FIRST_STREAM;
    }

    /** The peer's queue pair, for a request; 0 if that is to be made. */
    static int peerQp(Connection c) {
        SharedPath path = c.shared;
        return path == null || isFounder(c) ? 0 : path.shared().peerQp();
    }

    /** Keeps a request until the queue pair that it names is known to the peer. @return false if it is */
    boolean waits(Connection c) {
        Shared shared = byNumber.get(c.number());
        if (c.shared == null || shared == null || shared.pair.peerQp() != 0 || shared.founder == c) {
            return false;
        }
        shared.waiting.add(c);
        return true;
    }

    /** A connection's peer is known. @return the connections that have waited for that */
    List<Connection> opened(Connection c) {
        Shared shared = byNumber.get(c.number());
        if (c.shared == null || shared == null) {
            return List.of();
        }
        shared.pair.open(c.peer.qp());
        List<Connection> waiting = List.copyOf(shared.waiting);
        shared.waiting.clear();
        return waiting;
    }

    /** Takes the peer's stream. @return whether no other connection has or had it, and its queue pair is the same */
    boolean takeStream(Connection c, ConnectionFlyweight peer) {
        Shared shared = byNumber.get(c.number());
        if (c.shared == null || shared == null) {
            return true;
        }
        int stream = peer.senderStream();
        boolean fresh = stream >= ConnectionMaker.FIRST_STREAM
                && !shared.peerStreams.get(stream)
                && (isFounder(c) || shared.pair.peerQp() == peer.senderQp());
        shared.peerStreams.set(stream);
        return fresh;
    }

    /** What a peer has said of its end, as another connection of a shared queue pair has it if that is the same. */
    PeerTerms common(Connection c, PeerTerms terms) {
        Shared shared = byNumber.get(c.number());
        if (shared == null) {
            return terms;
        }
        PeerTerms known = shared.terms.get(terms);
        if (known == null && shared.terms.size() < MOST_TERMS) {
            shared.terms.put(terms, terms);
        }
        return known == null ? terms : known;
    }

    /**
     * The queue pair that a request names.
     *
     * @throws NotSharedException if it may not join there
     */
    SharedQueuePair joined(NewConnection wanted, ConnectionFlyweight request) {
        Shared shared = byNumber.get(request.receiverQp());
        boolean fits = shared != null
                && shared.founder.incoming
                && shared.founder.peerNic == wanted.peerNic()
                && shared.founder.peer.qp() == request.senderQp()
                && !shared.peerStreams.get(request.senderStream())
                && shared.pair.hasRoom();
        if (shared == null || !fits) {
            throw new NotSharedException("queue pair " + request.receiverQp() + " cannot be shared any more", false);
        }
        if (shared.owner != wanted.owner()) {
            throw new NotSharedException("'" + wanted.name() + "' is another tenant's", true);
        }
        return shared.pair;
    }

    /** A shared queue pair that has met an error; null if it is none, or its end is known. */
    @Nullable
    SharedQueuePair broken(int number) {
        Shared shared = byNumber.get(number);
        return shared != null && shared.pair.breakOff() ? shared.pair : null;
    }

    /** Whether a queue pair is shared. */
    boolean isShared(int number) {
        return byNumber.containsKey(number);
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** A connection begins to close: nobody joins it from here on. */
    static void parts(Connection c) {
        if (c.shared != null) {
            c.shared.parts();
        }
    }

    /** Whether the NIC uses nothing of a connection that is over. */
    static boolean isReleased(Connection c) {
        return c.shared == null || c.shared.isReleased();
    }

    /** A connection is over. @return those that cannot be made without it */
    List<Connection> ended(Connection c) {
        parts(c);
        SharedConnection among = c.among;
        if (among != null) {
            leave(among, c.name);
        }
        Shared shared = byNumber.get(c.number());
        if (shared == null || shared.pair.peerQp() != 0 || shared.founder != c) {
            return List.of();
        }
        shared.pair.breakOff();
        List<Connection> waiting = List.copyOf(shared.waiting);
        shared.waiting.clear();
        return waiting;
    }

    /** A connection leaves its queue pair, which goes with the last. */
    void retire(Connection c, SharedPath path) {
        members--;
        if (path.shared().left()) {
            byNumber.remove(c.number());
            path.shared().queuePair().close();
        }
    }

    /** Takes all queue pairs away at once: nothing uses the memory of requests any more. */
    void closeQueuePairs() {
        for (Shared shared : byNumber.values()) {
            shared.pair.queuePair().close();
        }
    }
}
