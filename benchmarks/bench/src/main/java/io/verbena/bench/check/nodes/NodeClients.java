package io.verbena.bench.check.nodes;

import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.ConnectionException;
import io.verbena.ReconnectListener;
import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.WalkFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The channels that the walk's nodes have connected, for messages and for calls. For the walk's thread. */
final class NodeClients {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** Where nobody is to answer. */
    private static final Duration BRIEF = Duration.ofMillis(50);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration MAX_PAUSE = Duration.ofMillis(8);

    /** A way from one node to something of another, whose channel may be replaced. */
    static final class Client {
        final NodeHost host;
        final NodeHost peer;
        final String name;
        final boolean reconnects;
        final NodeHost.@Nullable Opening answersAt;
        /** Channels that have come in place of this one's. */
        final ConcurrentLinkedQueue<Channel> replacements;

        Channel channel;
        NodeFlow flow;

        private Client(
                NodeHost host,
                NodeHost peer,
                String name,
                @Nullable ConcurrentLinkedQueue<Channel> replacements,
                NodeHost.@Nullable Opening answersAt,
                Channel channel,
                NodeFlow flow) {
            this.host = host;
            this.peer = peer;
            this.name = name;
            this.reconnects = replacements != null;
            this.replacements = replacements == null ? new ConcurrentLinkedQueue<>() : replacements;
            this.answersAt = answersAt;
            this.channel = channel;
            this.flow = flow;
        }

        boolean isForCalls() {
            return name.equals(NodeHost.CALLS);
        }

        @Override
        public String toString() {
            return (reconnects ? "reconnecting " : "") + flow;
        }
    }

    private final NodeWalk walk;
    private final NodePlan plan;
    private final NodeTally tally;
    private final List<Client> clients = new ArrayList<>();
    private final List<Client> closed = new ArrayList<>(); // for which a replacement may have been on its way

    NodeClients(NodeWalk walk, NodePlan plan) {
        this.walk = walk;
        this.plan = plan;
        tally = walk.tally();
    }

    List<Client> all() {
        return clients;
    }

    /** One of them, for messages or for calls, or null. */
    @Nullable
    Client any(SimRandom random, boolean forCalls) {
        List<Client> some =
                clients.stream().filter(c -> c.isForCalls() == forCalls).toList();
        return some.isEmpty() ? null : some.get(random.nextInt(some.size()));
    }

    // ---- connecting -------------------------------------------------------------------------------------------------

    /** Connects, or finds that there is nothing to connect to. */
    @Nullable
    Client connect(NodeHost from, NodeHost to, String name, SimRandom random) {
        NodeHost.Opening opening = to.opening(name);
        boolean calls = name.equals(NodeHost.CALLS);
        NodeHost.Opening answersAt = calls || random.nextInt(2) == 0
                ? null
                : from.opening(NodeHost.INBOXES.get(random.nextInt(NodeHost.INBOXES.size())));
        ConcurrentLinkedQueue<Channel> replacements = new ConcurrentLinkedQueue<>();
        ChannelOptions options = new ChannelOptions();
        boolean reconnects = plan.has(Feature.RECONNECTS) && random.nextInt(2) == 0;
        if (reconnects) {
            options.reconnect(FIRST_PAUSE, MAX_PAUSE, new ReconnectListener() {
                @Override
                public void onLost(Channel lost) {
                    walk.note(from + " has lost its channel to " + to + '/' + name);
                }

                @Override
                public void onAttemptFailed(ConnectionException why) {
                    walk.note(from + " tries in vain to reach " + to + '/' + name);
                }

                @Override
                public void onReconnected(Channel channel) {
                    replacements.add(channel);
                }
            });
        }
        boolean there = to.isUp() && opening != null;
        Channel channel;
        try {
            Duration timeout = there ? TIMEOUT : BRIEF;
            channel = calls
                    ? from.requester().connect(to.address(name), options, timeout)
                    : from.node()
                            .tenant("default")
                            .connect(to.address(name), answersAt == null ? null : answersAt.inbox(), options, timeout);
        } catch (ConnectionException e) {
            if (there) {
                throw new WalkFailure(from + " cannot connect to " + opening + ": " + e.getMessage());
            }
            tally.event(Event.UNREACHABLE);
            walk.note(from + " cannot connect to " + to + '/' + name);
            return null;
        }
        if (opening == null) {
            throw new WalkFailure(from + " has connected to " + to + '/' + name + ", which is not there: " + channel);
        }
        return add(from, opening, answersAt, reconnects ? replacements : null, channel);
    }

    /** Both sides connect at once. */
    void connectMutually(NodeHost a, NodeHost b) {
        NodeHost.Opening atA = a.opening("called");
        NodeHost.Opening atB = b.opening("called");
        if (a == b || atA == null || atB == null) {
            return;
        }
        CompletableFuture<Channel> forth = a.node().connectAsync(b.address("called"), atA.inbox(), TIMEOUT);
        CompletableFuture<Channel> back = b.node().connectAsync(a.address("called"), atB.inbox(), TIMEOUT);
        walk.until("two nodes that connect to each other", () -> forth.isDone() && back.isDone());
        add(a, atB, atA, null, forth.join());
        add(b, atA, atB, null, back.join());
        tally.event(Event.MUTUAL);
    }

    private Client add(
            NodeHost from,
            NodeHost.Opening to,
            NodeHost.@Nullable Opening answersAt,
            @Nullable ConcurrentLinkedQueue<Channel> replacements,
            Channel channel) {
        from.known(channel);
        NodeFlow flow = walk.newFlow(from, to, answersAt, channel);
        Client client = new Client(from, to.host, to.name, replacements, answersAt, channel, flow);
        clients.add(client);
        tally.event(Event.CONNECTED);
        walk.note(from + " connects to " + to + " by " + flow.number);
        return client;
    }

    /** Takes channels that have come in place of others. */
    void takeReplacements() {
        for (Client client : closed) {
            Channel next = client.replacements.poll();
            if (next != null) {
                client.host.known(next);
                next.close();
            }
        }
        for (int i = clients.size() - 1; i >= 0; i--) {
            Client client = clients.get(i);
            Channel next = client.replacements.poll();
            if (next == null) {
                continue;
            }
            tally.event(Event.RECONNECTED);
            NodeHost.Opening to = client.peer.onlyOpening(client.name, next.peerNic());
            client.host.known(next);
            if (to == null) { // one of several that were there in turn
                clients.remove(i);
                next.close();
                continue;
            }
            client.channel = next;
            client.flow = walk.newFlow(client.host, to, client.answersAt, next);
            walk.note(client.host + " is reconnected to " + to + " by " + client.flow.number);
        }
    }

    // ---- using ------------------------------------------------------------------------------------------------------

    void send(Client client, int messages, SimRandom random, UnsafeBuffer own) {
        for (int i = 0; i < messages; i++) {
            walk.sender().send(client.flow, client.channel, random, own);
        }
        if (random.nextInt(2) == 0) {
            client.channel.flush();
        }
    }

    /** What was enqueued leaves. */
    void flush() {
        clients.forEach(client -> client.channel.flush());
    }

    /** The side that has connected closes. */
    void close(Client client) {
        clients.remove(client);
        if (client.reconnects) {
            closed.add(client);
        }
        client.flow.senderCloses();
        client.channel.close();
        tally.event(Event.CLOSED);
        walk.note(client.host + " closes " + client.flow.number);
    }

    /** The other side closes: by the thread that sends there. */
    void closeByPeer(Client client) {
        Channel other = client.flow.receiver();
        if (other == null || !client.flow.target.isOpen()) {
            return;
        }
        NodeFlow flow = client.flow;
        Runnable close = () -> {
            flow.peerCloses();
            NodeFlow back = flow.answers();
            if (back != null) {
                back.senderCloses();
            }
            other.close();
        };
        if (client.name.equals("polled")) {
            close.run();
        } else {
            client.peer.node().execute(close);
        }
        tally.event(Event.CLOSED_BY_PEER);
        walk.note(client.peer + " closes " + flow.number);
    }

    /** A node is about to close. */
    void forget(NodeHost host) {
        clients.removeIf(client -> client.host == host);
        closed.removeIf(client -> client.host == host);
    }

    /** Closed ones that nobody replaces. */
    void dropClosed() {
        clients.removeIf(client -> !client.reconnects && client.channel.closeReason() != null);
    }

    /** Whether all that reconnect have a channel. */
    boolean areConnected() {
        takeReplacements();
        return clients.stream().allMatch(c -> !c.reconnects || c.channel.closeReason() == null);
    }
}
