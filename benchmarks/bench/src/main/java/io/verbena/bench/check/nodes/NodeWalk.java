package io.verbena.bench.check.nodes;

import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.bench.check.nodes.NodePlan.Way;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTrace;
import io.verbena.verification.walk.SeedCommand;
import io.verbena.verification.walk.WalkFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One seed: nodes of this process; steps in which they connect, send, call, operate on each other's memory, stand
 * still, close and come back; then everything goes on, what is owed comes, new connections work, and all is closed.
 *
 * <p>Belongs to one thread, which also drives the nodes if they have no threads of their own, in {@link WalkTime}.
 */
final class NodeWalk implements SeedCommand.SeedWalk {
    /** How long a node lingers, and an expected end may take. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int MAX_STALLED = 12;
    private static final int MAX_CLIENTS = 24;
    private static final AtomicInteger WALKS = new AtomicInteger();

    private final NodePlan plan;
    private final SimTrace trace;
    private final WalkTime time;
    private final NodeTally tally = new NodeTally();
    private final NodeSender sender;
    private final NodeCalls calls;
    private final NodeTables tables;
    private final NodeClients clients;
    private final List<NodeHost> hosts = new ArrayList<>();
    private final NodeAttachments attachments;
    private final List<NodeFlow> flows = new ArrayList<>(); // under itself
    private final UnsafeBuffer own;
    private @Nullable Path folder;
    private volatile @Nullable Throwable failure;
    private @Nullable NodeHost closing;
    private int step;

    NodeWalk(NodePlan plan, int traceLines) {
        this.plan = plan;
        trace = new SimTrace(traceLines);
        sender = new NodeSender(plan, tally);
        time = plan.has(Feature.THREADS) ? WalkTime.real() : WalkTime.virtual(plan.seed(), this::whileClosing);
        calls = new NodeCalls(tally, plan.seed(), time::now, this::guarded);
        tables = new NodeTables(tally, plan.seed(), this::guarded);
        clients = new NodeClients(this, plan);
        attachments = new NodeAttachments(this);
        own = new UnsafeBuffer(new byte[plan.maxMessage + 64]);
    }

    NodeTally tally() {
        return tally;
    }

    @Override
    public SimTrace trace() {
        return trace;
    }

    WalkTime time() {
        return time;
    }

    NodeSender sender() {
        return sender;
    }

    NodeCalls calls() {
        return calls;
    }

    NodeTables tables() {
        return tables;
    }

    NodeClients clients() {
        return clients;
    }

    List<NodeHost> hosts() {
        return hosts;
    }

    NodeAttachments attachments() {
        return attachments;
    }

    /** Writes a line of the trace; any thread. */
    void note(String text) {
        synchronized (trace) {
            trace.note(1_000L * step, text);
        }
    }

    /** Runs what a handler does; its node would only log what it throws. */
    void guarded(Runnable handler) {
        try {
            handler.run();
        } catch (NodeCalls.Refusal e) {
            throw e;
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /** The first of these is what the walk fails with. Any thread. */
    private void fail(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    private void check() {
        Throwable first = failure;
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }

    // ---- flows ------------------------------------------------------------------------------------------------------

    NodeFlow newFlow(NodeHost from, NodeHost.Opening to, NodeHost.@Nullable Opening answersAt, Channel channel) {
        synchronized (flows) {
            NodeFlow flow =
                    new NodeFlow(flows.size(), from, to, answersAt, from.node().nicId(), plan.seed(), plan.isAbrupt());
            flow.sentBy(channel);
            flows.add(flow);
            return flow;
        }
    }

    /** The way back of a flow, or null if it is over. By whoever takes its messages. */
    @Nullable
    NodeFlow answersTo(NodeFlow flow, NodeHost.Opening at, Channel by) {
        NodeHost.Opening back = flow.answersAt;
        if (back == null) {
            throw flow.wrong("it can be answered, and gave no inbox for that");
        }
        if (by.closeReason() != null || at.host.hasGone(at.life)) {
            return null;
        }
        NodeFlow made = newFlow(at.host, back, at, by);
        flow.answers(made);
        tally.event(Event.ANSWERS);
        return made;
    }

    NodeFlow flow(int number) {
        synchronized (flows) {
            if (number < 0 || number >= flows.size()) {
                throw new WalkFailure("a message of flow " + number + ", of which there are " + flows.size());
            }
            return flows.get(number);
        }
    }

    List<NodeFlow> flows() {
        synchronized (flows) {
            return List.copyOf(flows);
        }
    }

    // ---- the walk ---------------------------------------------------------------------------------------------------

    /** Runs the seed to its end; any exception is a failure of the framework, or of the model. */
    @Override
    public void run() {
        LoggedErrors errors = LoggedErrors.tell(this::fail);
        try {
            walk();
        } finally {
            errors.close();
        }
    }

    private void walk() {
        try {
            open();
            for (step = 0; step < plan.steps(); step++) {
                if (!plan.without().get(step)) {
                    SimRandom random = plan.stepRandom(step);
                    act(random);
                    drive(random);
                }
            }
            new NodeProof(this, plan).run(plan.stepRandom(-1), own);
            check();
            tally.event(Event.WALKS);
            if (plan.has(Feature.THREADS)) {
                tally.event(Event.THREADED);
            }
        } finally {
            abandon();
        }
    }

    private void open() {
        if (plan.way == Way.UDS) {
            try {
                folder = Files.createTempDirectory("walk");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        String name = "walk-" + ProcessHandle.current().pid() + '-' + WALKS.incrementAndGet() + '-';
        Path where = folder == null ? Path.of("") : folder;
        for (int i = 0; i < plan.nodes; i++) {
            String label = String.valueOf((char) ('a' + i));
            NodeHost host = new NodeHost(this, plan, label, name + label, where, plan.stepRandom(-2 - i));
            hosts.add(host);
            launch(host, plan.stepRandom(-10 - i));
        }
    }

    void launch(NodeHost host, SimRandom random) {
        host.launch(random);
        tally.event(Event.LAUNCHED);
    }

    private NodeHost any(SimRandom random) {
        return hosts.get(random.nextInt(hosts.size()));
    }

    private void act(SimRandom random) {
        NodeHost host = any(random);
        int what = random.nextInt(100);
        if (!host.isUp()) {
            if (what < 30) {
                launch(host, random);
            }
            return;
        }
        if (what < 42) {
            NodeClients.Client client = clients.any(random, false);
            if (client != null) {
                clients.send(client, 1 + random.nextInt(10), random, own);
            }
        } else if (what < 52) {
            call(random);
        } else if (what < 60) {
            attachments.operate(random);
        } else if (what < 72) {
            connect(host, random);
        } else if (what < 80) {
            close(random);
        } else if (what < 84) {
            if (plan.has(Feature.OPENINGS)) {
                List<String> names = List.of("called", "polled", NodeHost.CALLS, NodeHost.TABLE);
                host.close(names.get(random.nextInt(names.size())), random.nextInt(3) != 0);
                tally.event(Event.OPENINGS);
            }
        } else if (what < 88) {
            if (plan.has(Feature.STALLS)) {
                host.stalledUntil = step + random.nextInt(MAX_STALLED);
                tally.event(Event.STALLED);
            }
        } else if (what < 91) {
            host.lazy(plan.has(Feature.LAZY) && random.nextInt(2) == 0);
        } else if (what < 95) {
            host.release(random.nextInt(4), random);
            calls.pay(random);
        } else if (what < 97) {
            NodeHost.INBOXES.forEach(host::open);
            host.open(NodeHost.CALLS);
            host.open(NodeHost.TABLE);
        } else if (plan.has(Feature.RESTARTS)) {
            close(host);
            tally.event(Event.RESTARTED);
        }
    }

    private void connect(NodeHost host, SimRandom random) {
        NodeHost peer = any(random);
        int what = random.nextInt(10);
        if (clients.all().size() >= MAX_CLIENTS) {
            return;
        }
        if (what < 5) {
            clients.connect(host, peer, NodeHost.INBOXES.get(random.nextInt(2)), random);
        } else if (what < 7) {
            if (plan.has(Feature.CALLS)) {
                clients.connect(host, peer, NodeHost.CALLS, random);
            }
        } else if (what < 9) {
            if (plan.has(Feature.REGIONS)) {
                attachments.attach(host, peer, random);
            }
        } else if (peer.isUp()) {
            clients.connectMutually(host, peer);
        }
    }

    private void call(SimRandom random) {
        NodeClients.Client client = clients.any(random, true);
        if (client == null) {
            return;
        }
        for (int i = random.nextInt(6); i >= 0; i--) {
            calls.call(client.host.requester(), client.channel, random);
        }
        if (random.nextInt(3) != 0) {
            client.channel.flush();
        }
    }

    private void close(SimRandom random) {
        if (!plan.has(Feature.CLOSES)) {
            return;
        }
        NodeClients.Client client = clients.any(random, random.nextInt(4) == 0);
        switch (random.nextInt(6)) {
            case 0:
                attachments.closeAny(random);
                break;
            case 1:
            case 2:
                if (client != null) {
                    clients.closeByPeer(client);
                }
                break;
            default:
                if (client != null) {
                    clients.close(client);
                }
        }
    }

    /** A node closes: what it has sent still arrives, with the others at work. */
    void close(NodeHost host) {
        host.prepareToClose(); // from here on nobody answers there
        for (NodeFlow flow : flows()) {
            if (flow.source == host) {
                flow.senderCloses();
            }
        }
        NodeHost.Opening table = host.opening(NodeHost.TABLE);
        if (table != null) {
            tables.closing(table);
        }
        calls.closing(host.requester());
        calls.forget(host);
        clients.forget(host);
        hosts.forEach(other -> other.stalledUntil = 0);
        note(host + " closes");
        close(host.node(), host);
        until(
                "the end of all that a closed node has begun",
                () -> {
                    host.pollCalls();
                    return calls.isQuiet(host.requester()) && attachments.haveEnded(host);
                },
                host);
        attachments.forget(host);
        host.closed();
    }

    /** Closes a node while the others are driven. */
    private void close(Node node, NodeHost host) {
        closing = host;
        if (time.isVirtual()) {
            node.close();
        } else {
            Thread closer = new Thread(node::close, "walk-close");
            closer.start();
            until(
                    "the close of a node",
                    () -> {
                        release();
                        return !closer.isAlive();
                    },
                    host);
        }
        closing = null;
    }

    /** There is nothing to do for the node that closes. */
    private void whileClosing() {
        release(); // whoever keeps too much takes nothing more
        time.passes(driveAll(closing));
    }

    // ---- being driven -----------------------------------------------------------------------------------------------

    private void drive(SimRandom random) {
        for (int i = random.nextInt(4 * hosts.size()); i > 0; i--) {
            NodeHost host = any(random);
            if (host.stalledUntil <= step) {
                host.drive(own);
                attachments.poll(host);
            }
        }
        if (plan.has(Feature.THREADS) && random.nextInt(4) == 0) {
            LockSupport.parkNanos(random.nextInt(200_000));
        }
        time.runTasks();
        clients.takeReplacements();
        check();
    }

    private int driveAll(@Nullable NodeHost without) {
        int work = 0;
        for (NodeHost host : hosts) {
            if (host != without) {
                work += host.drive(own) + attachments.poll(host);
            }
        }
        work += time.runTasks();
        clients.takeReplacements();
        check();
        return work;
    }

    /** Drives all nodes until something holds, which it must in time. */
    void until(String what, BooleanSupplier condition) {
        until(what, condition, null);
    }

    private void until(String what, BooleanSupplier condition, @Nullable NodeHost without) {
        long begin = time.now();
        while (!condition.getAsBoolean()) {
            time.passes(driveAll(without));
            if (time.now() - begin > 2 * PATIENCE.toNanos()) {
                throw new WalkFailure("missed " + what + ": " + state());
            }
        }
        check();
    }

    private String state() {
        StringBuilder text = new StringBuilder();
        for (NodeFlow flow : flows()) {
            if (flow.owed() > 0) {
                text.append(flow).append(", owed ").append(flow.owed()).append("; ");
            }
        }
        clients.all().forEach(client -> text.append(client).append("; "));
        for (NodeHost host : hosts) {
            text.append(host)
                    .append(host.isUp() ? " up, untold " + host.untold() : " down")
                    .append("; ");
        }
        text.append(attachments);
        return text + calls.toString();
    }

    /** Nobody holds a message any more. */
    void release() {
        hosts.forEach(host -> host.release(Integer.MAX_VALUE, null));
    }

    /** Whatever has happened, nothing of it stays in this process. */
    private void abandon() {
        for (NodeHost host : hosts) {
            if (host.isUp()) {
                host.node().close();
            }
        }
        Path made = folder;
        if (made != null) {
            try {
                Files.deleteIfExists(made);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
