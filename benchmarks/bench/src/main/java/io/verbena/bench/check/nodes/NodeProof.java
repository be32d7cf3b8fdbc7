package io.verbena.bench.check.nodes;

import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The end of a walk: everything goes on and what is owed comes, each node reaches each, all is closed, and nothing is
 * left.
 */
final class NodeProof {
    private final NodeWalk walk;
    private final NodePlan plan;

    NodeProof(NodeWalk walk, NodePlan plan) {
        this.walk = walk;
        this.plan = plan;
    }

    void run(SimRandom random, UnsafeBuffer own) {
        settle(random);
        prove(random, own);
        closeAll(random);
    }

    /** Nothing stands in the way any more: all that is owed comes. */
    private void settle(SimRandom random) {
        walk.note("all goes on");
        for (NodeHost host : walk.hosts()) {
            if (!host.isUp()) {
                walk.launch(host, random);
            }
            host.stalledUntil = 0;
            host.lazy(false);
            NodeHost.INBOXES.forEach(host::open);
            host.open(NodeHost.CALLS);
            host.open(NodeHost.TABLE);
        }
        walk.until("the reconnection of what reconnects", walk.clients()::areConnected);
        walk.clients().flush();
        walk.until("messages", () -> {
            walk.release();
            return walk.flows().stream().allMatch(flow -> flow.owed() == 0);
        });
        walk.until("the end of calls", () -> {
            walk.calls().pay(random);
            return walk.calls().isQuiet();
        });
        walk.until("the end of operations", () -> walk.attachments().areQuiet());
        judge();
    }

    private void judge() {
        walk.flows().forEach(NodeFlow::checkReason);
        for (NodeHost host : walk.hosts()) {
            NodeHost.Opening table = host.opening(NodeHost.TABLE);
            if (table != null) {
                walk.tables().judge(table);
            }
        }
    }

    /** After all that, each node reaches each with messages, calls and operations. */
    private void prove(SimRandom random, UnsafeBuffer own) {
        walk.note("the proof");
        walk.clients().dropClosed();
        List<NodeClients.Client> fresh = new ArrayList<>();
        for (NodeHost from : walk.hosts()) {
            for (NodeHost to : walk.hosts()) {
                NodeClients.Client messages =
                        walk.clients().connect(from, to, NodeHost.INBOXES.get(random.nextInt(2)), random);
                NodeClients.Client requests = walk.clients().connect(from, to, NodeHost.CALLS, random);
                if (messages == null || requests == null) {
                    throw new WalkFailure(from + " cannot reach " + to + " in the proof");
                }
                NodeTables.Slot slot = walk.attachments().attach(from, to, random);
                for (int length : new int[] {0, 1, 300, plan.maxMessage}) {
                    walk.until(
                            "room for a message in the proof",
                            () -> walk.sender().send(messages.flow, messages.channel, length, random, own));
                }
                walk.until(
                        "room for a call in the proof",
                        () -> walk.calls().prove(from.requester(), requests.channel, random));
                requests.channel.flush();
                for (int i = 0; slot != null && i < NodeTables.KINDS; i++) {
                    int kind = i;
                    walk.until(
                            "room for an operation in the proof",
                            () -> walk.tables().prove(slot, kind, random));
                }
                fresh.add(messages);
                fresh.add(requests);
            }
        }
        walk.clients().flush();
        walk.until("messages of the proof", () -> {
            walk.release();
            return walk.flows().stream().allMatch(flow -> flow.owed() == 0);
        });
        walk.until("the end of calls of the proof", walk.calls()::isQuiet);
        walk.until(
                "the end of operations of the proof", () -> walk.attachments().areQuiet());
        for (NodeClients.Client client : fresh) {
            if (client.channel.closeReason() != null) {
                throw client.flow.wrong("closed in the proof");
            }
        }
        judge();
    }

    /** Everything is closed: each end is told once, and nothing is left. */
    private void closeAll(SimRandom random) {
        walk.note("all is closed");
        for (NodeClients.Client client : List.copyOf(walk.clients().all())) {
            if (plan.has(Feature.RETIREMENT) || random.nextInt(2) == 0) {
                walk.clients().close(client);
            }
        }
        walk.until(
                "the told end of what is closed",
                () -> walk.hosts().stream().allMatch(h -> h.untold().isEmpty()));
        if (plan.has(Feature.RETIREMENT)) {
            retire();
        }
        List<NodeHost> left = new ArrayList<>(walk.hosts());
        while (!left.isEmpty()) {
            walk.close(left.remove(random.nextInt(left.size())));
        }
        walk.flows().forEach(NodeFlow::checkReason);
    }

    /** When all channels and regions are closed, no queue pair stays. */
    private void retire() {
        walk.attachments().closeAll();
        for (NodeHost host : walk.hosts()) { // what its peer has forgotten to close is found here
            walk.until(
                    "the close of both ends of channels at " + host,
                    () -> host.open().isEmpty());
        }
        walk.until(
                "the end of all queue pairs",
                () -> walk.hosts().stream()
                        .allMatch(h -> h.node().tenant("default").connections() == 0));
        walk.tally().event(Event.RETIRED);
    }
}
