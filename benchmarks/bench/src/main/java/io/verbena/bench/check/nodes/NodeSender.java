package io.verbena.bench.check.nodes;

import io.verbena.Channel;
import io.verbena.SendResult;
import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** Sends messages of all sizes in all forms, and tells their flow. Any thread, each with a buffer of its own. */
final class NodeSender {
    private final NodePlan plan;
    private final NodeTally tally;

    NodeSender(NodePlan plan, NodeTally tally) {
        this.plan = plan;
        this.tally = tally;
    }

    /** Sends a random message if the channel takes one. By the thread that sends on it. */
    void send(NodeFlow flow, Channel channel, SimRandom random, UnsafeBuffer own) {
        send(flow, channel, length(random), random.nextInt(6), random, own);
    }

    /** Sends a message of a length if the channel takes one. @return whether it did */
    boolean send(NodeFlow flow, Channel channel, int wanted, SimRandom random, UnsafeBuffer own) {
        return send(flow, channel, wanted, 0, random, own) == SendResult.SENT;
    }

    private SendResult send(NodeFlow flow, Channel channel, int wanted, int form, SimRandom random, UnsafeBuffer own) {
        if (!flow.hasRoom()) {
            return SendResult.BACK_PRESSURED;
        }
        int length = form < 2 ? wanted : Math.max(wanted, NodeFlow.HEADER_LENGTH);
        int sequence = flow.begin(length);
        SendResult result;
        try {
            result = post(flow, channel, sequence, length, form, random, own);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw flow.wrong("message " + sequence + " of " + length + " bytes: " + e);
        }
        if (result == SendResult.SENT) {
            flow.sent(channel.outstanding());
            tally.event(Event.SENT);
        } else {
            flow.cancel(sequence);
            tally.event(result == SendResult.CLOSED ? Event.REFUSED_CLOSED : Event.BACK_PRESSURED);
        }
        return result;
    }

    private SendResult post(
            NodeFlow flow, Channel channel, int sequence, int length, int form, SimRandom random, UnsafeBuffer own) {
        switch (form) {
            case 0:
                flow.fill(own, 0, sequence, length);
                return channel.offer(own, 0, length, flow.immediate(sequence));
            case 1:
                flow.fill(own, 0, sequence, length);
                return channel.enqueue(own, 0, length, flow.immediate(sequence));
            case 2:
                flow.fillWithHeader(own, 0, sequence, length);
                return channel.offer(own, 0, length);
            case 3:
                flow.fillWithHeader(own, 0, sequence, length);
                return channel.enqueue(own, 0, length);
            case 4:
                flow.fillWithHeader(own, 0, sequence, length);
                int head = random.nextInt(length + 1);
                return channel.offer(own, 0, head, own, head, length - head);
            default:
                return claim(flow, channel, sequence, length, random);
        }
    }

    /** Composes in place; claims more than it needs, or gives up, now and then. */
    private SendResult claim(NodeFlow flow, Channel channel, int sequence, int length, SimRandom random) {
        int more = Math.min(channel.maxMessage() - length, random.nextInt(3) == 0 ? random.nextInt(100) : 0);
        int at = channel.tryClaim(length + Math.max(0, more));
        if (at < 0) {
            return at == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        if (random.nextInt(8) == 0) {
            channel.abortClaim();
            tally.event(Event.ABORTED);
            return SendResult.BACK_PRESSURED;
        }
        flow.fillWithHeader(channel.claimBuffer(), at, sequence, length);
        return more == 0 && random.nextInt(2) == 0 ? channel.enqueueClaim() : channel.commit(length);
    }

    private int length(SimRandom random) {
        int kind = random.nextInt(40);
        if (kind < 4) {
            return 0;
        }
        if (kind < 28) {
            return random.nextInt(300);
        }
        if (kind < 37 || !plan.has(Feature.LARGE)) {
            return random.nextInt(Math.min(plan.chunk() / 4, plan.maxMessage) + 1);
        }
        return kind == 37 ? plan.maxMessage : random.nextInt(plan.maxMessage + 1);
    }
}
