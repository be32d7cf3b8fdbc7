package io.verbena.bench.check.nodes;

import io.verbena.Channel;
import io.verbena.ChannelListener;
import io.verbena.HeldMessage;
import io.verbena.Inbox;
import io.verbena.Message;
import io.verbena.Node;
import io.verbena.Requester;
import io.verbena.RequesterOptions;
import io.verbena.SharedRegion;
import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.bench.check.nodes.NodePlan.Way;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.WalkFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A node of the walk, which closes and comes up again under its name: with an inbox that calls back, one that the walk
 * polls, a responder, a table that peers attach to, and a requester.
 *
 * <p>For the walk's thread, but for what handlers call.
 */
final class NodeHost {
    /** Names of the inboxes. */
    static final List<String> INBOXES = List.of("called", "polled");

    static final String CALLS = "calls";
    static final String TABLE = "table";
    private static final int POLL_LIMIT = 16;
    private static final int ANSWERS_OF = 4;

    /** Something that was opened under a name, until it is closed or its node is. */
    static final class Opening {
        final NodeHost host;
        final String name;
        final int life;
        private final AutoCloseable what;
        private volatile boolean open = true;

        Opening(NodeHost host, String name, AutoCloseable what) {
            this.host = host;
            this.name = name;
            this.what = what;
            life = host.life;
        }

        boolean isOpen() {
            return open && !host.hasGone(life);
        }

        Inbox inbox() {
            return (Inbox) what;
        }

        SharedRegion region() {
            return (SharedRegion) what;
        }

        @Override
        public String toString() {
            return host + "." + life + '/' + name;
        }
    }

    private record Held(HeldMessage message, long checksum) {}

    private final NodeWalk walk;
    private final NodePlan plan;
    private final String label;
    private final String nodeName;
    private final Path folder;
    private final SimRandom whims; // of its handlers; under this
    private final UnsafeBuffer scratch; // of its callbacks
    private final List<Held> held = new ArrayList<>(); // under itself
    private final IdentityHashMap<Channel, int[]> ends =
            new IdentityHashMap<>(); // under itself: how often each was told to be closed

    private final Map<String, Opening> openings = new TreeMap<>();
    private final List<Opening> history = new ArrayList<>(); // of this life
    private @Nullable Node node;
    private @Nullable Requester requester;
    private String address = "";
    private volatile int life;
    private volatile boolean gone = true;
    private volatile boolean lazy;
    private volatile boolean keepsNothing;
    private boolean polledByWalk;

    /** Steps until which it is not driven. */
    int stalledUntil;

    NodeHost(NodeWalk walk, NodePlan plan, String label, String nodeName, Path folder, SimRandom whims) {
        this.walk = walk;
        this.plan = plan;
        this.label = label;
        this.nodeName = nodeName;
        this.folder = folder;
        this.whims = whims;
        scratch = new UnsafeBuffer(new byte[plan.maxMessage + 64]);
    }

    // ---- life -------------------------------------------------------------------------------------------------------

    boolean isUp() {
        return node != null;
    }

    /** Whether a life of its is over, or ends. */
    boolean hasGone(int which) {
        return which != life || gone;
    }

    Node node() {
        Node present = node;
        if (present == null) {
            throw new IllegalStateException(this + " is down");
        }
        return present;
    }

    Requester requester() {
        Requester present = requester;
        if (present == null) {
            throw new IllegalStateException(this + " is down");
        }
        return present;
    }

    int life() {
        return life;
    }

    /** Where something of its is reached. */
    String address(String name) {
        return address + '/' + name;
    }

    /** Comes up. */
    void launch(SimRandom random) {
        int next = life + 1;
        life = next;
        Node fresh = Node.launch(plan.context(nodeName, walk.time()));
        node = fresh;
        keepsNothing = false;
        lazy = false;
        stalledUntil = 0;
        fresh.addListener(new ChannelListener() {
            @Override
            public void onConnect(Channel channel) {
                known(channel);
            }

            @Override
            public void onClose(Channel channel) {
                ended(channel);
            }
        });
        address = plan.way == Way.LOCAL ? "local:" + nodeName : listen(fresh);
        gone = false;
        INBOXES.forEach(this::open);
        open(CALLS);
        open(TABLE);
        Requester made =
                fresh.openRequester(new RequesterOptions().maxOutstanding(32).responses(plan.inbox()));
        polledByWalk = random.nextInt(2) == 0;
        requester = polledByWalk ? made : made.pollOnNode();
        walk.note(this + " is up");
    }

    private String listen(Node fresh) {
        switch (plan.way) {
            case SHM:
                return fresh.listen("shm:" + nodeName);
            case UDS:
                return fresh.listen("uds:" + folder.resolve(label + ".sock"));
            default:
                return fresh.listen("tcp://127.0.0.1:0");
        }
    }

    /** It is about to close: nothing new is held, and what is held goes back. */
    void prepareToClose() {
        gone = true;
        keepsNothing = true;
        lazy = false;
        release(Integer.MAX_VALUE, null);
    }

    /** It has closed. */
    void closed() {
        release(Integer.MAX_VALUE, null);
        node = null;
        requester = null;
        openings.clear();
        history.clear();
        synchronized (ends) {
            ends.forEach((channel, told) -> {
                if (told[0] != 1) {
                    throw new WalkFailure(
                            this + " has closed, and told " + told[0] + " times of the end of " + channel);
                }
            });
            ends.clear();
        }
        walk.note(this + " is down");
    }

    // ---- what is open under names -----------------------------------------------------------------------------------

    /** Opens what is not open. */
    void open(String name) {
        if (openings.containsKey(name)) {
            return;
        }
        Node present = node();
        switch (name) {
            case CALLS:
                var responder = present.openResponder(name, plan.inbox());
                put(new Opening(this, name, responder));
                responder.onRequest(request -> walk.guarded(() -> walk.calls().requested(this, request)));
                break;
            case TABLE:
                Opening table = new Opening(this, name, present.share(name, NodeTables.LENGTH));
                put(table);
                walk.tables().shared(table);
                break;
            default:
                Inbox inbox = present.openInbox(name, plan.inbox());
                Opening opening = new Opening(this, name, inbox);
                put(opening);
                if (name.equals("called")) {
                    inbox.onMessage(message -> walk.guarded(() -> take(opening, message, scratch)));
                }
        }
    }

    private void put(Opening opening) {
        openings.put(opening.name, opening);
        history.add(opening);
    }

    /** What was open under a name in the life of a NIC, if that was only one thing. */
    @Nullable
    Opening onlyOpening(String name, long nic) {
        Node present = node;
        List<Opening> all = history.stream().filter(o -> o.name.equals(name)).toList();
        return present != null && present.nicId() == nic && all.size() == 1 ? all.get(0) : null;
    }

    @Nullable
    Opening opening(String name) {
        return openings.get(name);
    }

    /** Closes something, and opens it anew if wanted. */
    void close(String name, boolean anew) {
        Opening opening = openings.remove(name);
        if (opening != null) {
            opening.open = false;
            if (name.equals(TABLE)) {
                walk.tables().closing(opening);
            }
            walk.note(opening + " closes");
            try {
                opening.what.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        if (anew) {
            open(name);
        }
    }

    // ---- being driven -----------------------------------------------------------------------------------------------

    /** Does a share of its work: the node's if nobody else does that, and what the walk polls. */
    int drive(UnsafeBuffer own) {
        Node present = node;
        if (present == null) {
            return 0;
        }
        int work = 0;
        if (!plan.has(Feature.THREADS)) {
            work = present.doWork();
            walk.time().turn();
        }
        Opening polled = openings.get("polled");
        if (polled != null) {
            work += polled.inbox().poll(message -> walk.guarded(() -> take(polled, message, own)), POLL_LIMIT);
        }
        return work + pollCalls();
    }

    /** Tells of calls that have ended, unless the node does. */
    int pollCalls() {
        Requester present = requester;
        return polledByWalk && present != null ? present.poll(POLL_LIMIT) : 0;
    }

    /** Handlers leave messages where they lie, or take them. */
    void lazy(boolean wanted) {
        lazy = wanted;
    }

    boolean isLazy() {
        return lazy;
    }

    /** A message has come. */
    private void take(Opening at, Message message, UnsafeBuffer own) {
        if (lazy && whim(2) == 0) {
            walk.tally().event(Event.LEFT);
            message.again();
            return;
        }
        DirectBuffer b = message.buffer();
        int immediate = message.immediate();
        int header = immediate == 0 ? NodeFlow.HEADER_LENGTH : 0;
        if (message.length() < header) {
            throw new WalkFailure(at + ": message of " + message.length() + " bytes that nobody sent");
        }
        NodeFlow flow = walk.flow(immediate == 0 ? b.getInt(message.offset()) : NodeFlow.numberOf(immediate));
        int sequence = immediate == 0 ? b.getInt(message.offset() + 4) : NodeFlow.sequenceOf(immediate);
        Channel by = message.channel();
        flow.arrived(at, by, sequence, b, message.offset(), message.length(), header);
        walk.tally().took(message.length(), plan.chunk());
        walk.note(at + " took " + flow.number + '#' + sequence);
        if (plan.has(Feature.HOLDS) && !keepsNothing && whim(8) == 0) {
            hold(message);
        }
        if (plan.has(Feature.ANSWERS)
                && by != null
                && by.isIncoming()
                && by.maxMessage() > 0
                && whim(ANSWERS_OF) == 0) {
            answer(flow, at, by, own);
        }
    }

    private synchronized int whim(int bound) {
        return whims.nextInt(bound);
    }

    private void answer(NodeFlow flow, Opening at, Channel by, UnsafeBuffer own) {
        NodeFlow back = flow.answers();
        if (back == null) {
            back = walk.answersTo(flow, at, by);
            if (back == null) {
                return;
            }
        }
        SimRandom chance;
        synchronized (this) {
            chance = new SimRandom(whims.nextLong());
        }
        walk.sender().send(back, by, chance, own);
        by.flush();
    }

    // ---- held messages ----------------------------------------------------------------------------------------------

    private void hold(Message message) {
        HeldMessage kept = message.hold();
        if (kept == null) {
            return;
        }
        synchronized (held) {
            held.add(new Held(kept, checksum(kept)));
        }
        walk.tally().event(Event.HELD);
    }

    /** Releases so many, any of them or, without chance, the oldest. */
    void release(int most, @Nullable SimRandom random) {
        for (int i = 0; i < most; i++) {
            Held one;
            synchronized (held) {
                if (held.isEmpty()) {
                    return;
                }
                one = held.remove(random == null ? 0 : random.nextInt(held.size()));
            }
            if (checksum(one.message) != one.checksum) {
                throw new WalkFailure(this + ": a message has changed while it was held");
            }
            one.message.release();
        }
    }

    private static long checksum(HeldMessage m) {
        long sum = m.length();
        for (int i = 0; i < m.length(); i++) {
            sum = 31 * sum + m.buffer().getByte(m.offset() + i);
        }
        return sum;
    }

    // ---- ends of channels -------------------------------------------------------------------------------------------

    /** A channel is open: its end must be told once. */
    void known(Channel channel) {
        synchronized (ends) {
            ends.computeIfAbsent(channel, c -> new int[1]);
        }
    }

    private void ended(Channel channel) {
        walk.guarded(() -> {
            synchronized (ends) {
                if (++ends.computeIfAbsent(channel, c -> new int[1])[0] > 1) {
                    throw new WalkFailure(this + ": told twice of the end of " + channel);
                }
            }
            if (channel.closeReason() == null) {
                throw new WalkFailure(this + ": told of the end of " + channel + ", which has no reason");
            }
        });
    }

    /** Channels that have closed and whose end has not been told. */
    List<Channel> untold() {
        List<Channel> untold = new ArrayList<>();
        synchronized (ends) {
            ends.forEach((channel, told) -> {
                if (told[0] == 0 && channel.closeReason() != null) {
                    untold.add(channel);
                }
            });
        }
        return untold;
    }

    /** Channels that are open. */
    List<Channel> open() {
        List<Channel> open = new ArrayList<>();
        synchronized (ends) {
            ends.forEach((channel, told) -> {
                if (channel.closeReason() == null) {
                    open.add(channel);
                }
            });
        }
        return open;
    }

    @Override
    public String toString() {
        return label;
    }
}
