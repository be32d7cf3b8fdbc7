package io.verbena.bench.check.channels;

import io.verbena.MuxScheduler;
import io.verbena.bench.check.channels.ChannelPlan.Feature;
import io.verbena.bench.check.channels.ChannelTally.Event;
import io.verbena.mux.SharedPath;
import io.verbena.mux.SharedQueuePair;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** What two nodes have while neither crashes: inboxes, queue pairs, and the channels that share them. */
final class ChannelRig {
    private static final MuxScheduler SCHEDULER = MuxScheduler.DEFICIT_ROUND_ROBIN;

    private static final int MAX_STREAMS = 3_000;
    private static final int ERRORS = 8_192;

    private final ChannelPlan plan;
    private final ChannelTally tally;
    private final SimNode sender;
    private final SimNode receiver;
    private final ProtectionDomain there;
    private final CompletionQueue errors;
    private final MessageData data;
    private final List<WalkedInbox> inboxes = new ArrayList<>(); // those that are open
    private final List<SharedPair> pairs = new ArrayList<>();
    private final Int2ObjectHashMap<SharedPair> byNumber = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<SharedPair> byPeer = new Int2ObjectHashMap<>();
    private final List<SharedChannel> channels = new ArrayList<>();
    private int inboxesMade;

    ChannelRig(ChannelPlan plan, ChannelTally tally, SimNode sender, SimNode receiver) {
        this.plan = plan;
        this.tally = tally;
        this.sender = sender;
        this.receiver = receiver;
        ProtectionDomain here = sender.nic().allocateProtectionDomain();
        there = receiver.nic().allocateProtectionDomain();
        errors = sender.nic().createCompletionQueue(ERRORS);
        data = new MessageData(here);
        for (int i = 0; i < plan.inboxes; i++) {
            openInbox();
        }
        for (int i = 0; i < plan.queuePairs; i++) {
            pairs.add(pair(here));
        }
    }

    private SharedPair pair(ProtectionDomain here) {
        SharedQueuePair shared = new SharedQueuePair(
                here.createQueuePair(new QueuePairAttributes()
                        .completionQueue(errors)
                        .maxSge(1)
                        .maxSend(1024)
                        .maxInline(64)),
                plan.depth,
                plan.depth,
                plan.segment,
                SCHEDULER);
        SenderQuota quota = receiver.nic().createSenderQuota(plan.quota());
        QueuePair peer = there.createQueuePair(new QueuePairAttributes()
                .completionQueue(receiver.nic().createCompletionQueue(64))
                .senderQuota(quota));
        shareBack(peer);
        SharedPair pair = new SharedPair(shared, peer, quota);
        byNumber.put(shared.queuePair().number(), pair);
        byPeer.put(peer.number(), pair);
        sender.watch(shared.queuePair());
        receiver.watch(peer);
        return pair;
    }

    /** Many send by the peer's queue pair too: what it refuses it refuses alone. */
    private void shareBack(QueuePair peer) {
        if (new SharedQueuePair(peer, plan.depth, plan.depth, plan.segment, SCHEDULER).members() != 0) {
            throw new WalkFailure(peer + " has channels");
        }
    }

    /** Connects the queue pairs; when the link is up. */
    void connect() {
        ConnectAttributes attributes = new ConnectAttributes()
                .timeout(8)
                .retryCount(7)
                .rnrRetry(7)
                .minRnrTimer(2)
                .pathMtu(plan.pathMtu);
        for (SharedPair pair : pairs) {
            QueuePair own = pair.shared.queuePair();
            own.connect(receiver.nicId(), pair.peer.number(), attributes);
            pair.peer.connect(sender.nicId(), own.number(), attributes);
        }
    }

    // ---- inboxes and channels ---------------------------------------------------------------------------------------

    /** Opens another inbox. */
    void openInbox() {
        inboxes.add(new WalkedInbox(
                inboxesMade++,
                there.createAppendQueue(new AppendQueueAttributes()
                        .chunkLength(64 << 10)
                        .maxMessage(ChannelPlan.MAX_MESSAGE)
                        .memoryLimit(plan.memory()))));
    }

    /** The inboxes that are open. */
    List<WalkedInbox> inboxes() {
        return inboxes;
    }

    /** Closes an inbox while messages are on their way to it. */
    void close(WalkedInbox inbox) {
        receiver.note("closes " + inbox);
        inboxes.remove(inbox);
        inbox.close();
    }

    /** All channels that there are or were. */
    List<SharedChannel> channels() {
        return channels;
    }

    /** Opens another channel to an inbox. */
    void join(WalkedInbox inbox, SimRandom random) {
        SharedPair pair = pairs.get(random.nextInt(pairs.size()));
        if (pair.shared.streams() >= MAX_STREAMS || !pair.shared.hasRoom()) {
            return;
        }
        SharedPath path = pair.shared.join(1 + random.nextInt(4));
        pair.shared.leadsTo(inbox.queue.id());
        SharedChannel channel = new SharedChannel(channels.size(), inbox, path, data);
        pair.add(channel);
        channels.add(channel);
        tally.event(Event.CHANNELS);
    }

    /** A channel that is open, or null. */
    @Nullable
    SharedChannel any(SimRandom random) {
        for (int i = 0; i < 4 && !channels.isEmpty(); i++) {
            SharedChannel channel = channels.get(random.nextInt(channels.size()));
            if (channel.isOpen()) {
                return channel;
            }
        }
        return null;
    }

    // ---- what comes -------------------------------------------------------------------------------------------------

    /** Takes messages of an inbox, so many at most. */
    void take(WalkedInbox inbox, int most) {
        inbox.queue.poll(
                (b, at, length, qp, sequence, flags) -> taken(inbox, b, at, length, qp, sequence, flags), most);
    }

    private void taken(WalkedInbox inbox, DirectBuffer b, int at, int length, int qp, int sequence, int flags) {
        SharedPair pair = byPeer.get(qp);
        if (pair == null) {
            throw new WalkFailure(inbox + ": a message of queue pair " + qp + ", of which there is none");
        }
        pair.channel(RecordDescriptor.stream(flags)).arrived(inbox, sequence, b, at, length);
        tally.event(Event.TAKEN);
    }

    /** Hears of the ends of channels. */
    void hear() {
        errors.poll(this::ended, ERRORS);
    }

    private void ended(Completion completion) {
        SharedPair pair = byNumber.get(completion.qpNumber());
        if (pair == null || completion.status() == WcStatus.SUCCESS) {
            throw new WalkFailure("a completion of nobody's: " + completion);
        }
        if (pair.shared.queuePair().state() != QpState.RTS) {
            return; // the queue pair's own end
        }
        SharedChannel channel = pair.channel((int) completion.wrId());
        channel.ended(completion.status());
        channel.close();
        tally.event(Event.ENDED);
        sender.note(channel + " has ended");
    }

    // ---- what must be true ------------------------------------------------------------------------------------------

    /** No queue pair breaks by what its channels do. */
    void checkQueuePairs() {
        for (SharedPair pair : pairs) {
            QpState own = pair.shared.queuePair().state();
            QpState peer = pair.peer.state();
            if (own != QpState.RTS || peer != QpState.RTS) {
                throw new WalkFailure(pair.shared + " is in " + own + " ("
                        + pair.shared.queuePair().failure() + "), its peer in " + peer + " (" + pair.peer.failure()
                        + ')');
            }
        }
    }

    /** Whether all channels to inboxes that are read have what they must. */
    boolean areFreeSettled() {
        return channels.stream().allMatch(c -> c.inbox.stuck || c.isSettled());
    }

    /** Channels that miss something. */
    List<SharedChannel> unsettled() {
        return channels.stream().filter(c -> !c.isSettled()).toList();
    }

    /** What is there, in words. */
    String state() {
        StringBuilder text = new StringBuilder();
        pairs.forEach(p ->
                text.append(p.shared).append(", quota ").append(p.quota.bytes()).append("; "));
        inboxes.forEach(inbox -> text.append(inbox.state()).append("; "));
        return text.toString();
    }

    /** Whether nothing is counted any more of what was taken, or thrown away. */
    boolean areQuotasFree() {
        return pairs.stream().allMatch(p -> p.quota.bytes() == 0);
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** A node has crashed, or will: nothing more has to come. */
    void isGone() {
        channels.forEach(SharedChannel::isGone);
    }

    /** Whether the queue pairs of the node that sends know that the other has gone. */
    boolean haveSendersFailed() {
        return pairs.stream().allMatch(p -> p.shared.queuePair().state() == QpState.ERR);
    }

    /** Closes what the node has that sends: after the other's crash nothing of a channel is under way. */
    void closeSender() {
        for (SharedChannel channel : channels) {
            channel.close();
            if (!channel.path.isReleased()) {
                throw channel.wrong("not released, though its queue pair has failed");
            }
        }
        pairs.forEach(p -> p.shared.queuePair().close());
    }

    /** Closes what the node has that receives: what is whole in its inboxes can be taken first. */
    void closeReceiver() {
        pairs.forEach(p -> p.peer.close());
        for (WalkedInbox inbox : inboxes) {
            take(inbox, Integer.MAX_VALUE);
        }
        if (!areQuotasFree()) {
            throw new WalkFailure("all is taken, and counts still: " + state());
        }
        List.copyOf(inboxes).forEach(this::close);
    }

    /** Whether the plan has small quotas, so that one inbox that nobody reads holds up all. */
    boolean isTight() {
        return plan.has(Feature.TIGHT_QUOTA);
    }
}
