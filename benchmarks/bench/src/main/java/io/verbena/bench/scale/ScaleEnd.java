package io.verbena.bench.scale;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.verification.RunException;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** One NIC's side of a measurement: what its queue pairs share, and what it takes. For one thread. */
final class ScaleEnd {
    private static final int POLL_LIMIT = 256;
    private static final int SHARED_DEPTH = 1024;

    private final Nic nic;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final @Nullable ScaleVerb takes;
    private final @Nullable AppendQueue inbox;
    private final @Nullable SharedReceiveQueue shared;
    private final QueuePair[] byNumber;
    private final int depth;
    private final int bytes;
    private final UnsafeBuffer message;
    private final SendRequest request = new SendRequest();
    private final ScaleTally tally;
    private final CompletionHandler onCompletion = this::onCompletion;
    private final AppendHandler onMessage = (buffer, offset, length, number, immediate, flags) -> countTaken();

    /**
     * Creates a side without queue pairs.
     *
     * @param tally counts what is taken and acknowledged
     * @param queuePairs that it will have, at most
     * @param depth messages that a queue pair sends before it waits
     * @param bytes of a message
     * @param takes what comes to it, or null if nothing does
     */
    ScaleEnd(Nic nic, ScaleTally tally, int queuePairs, int depth, int bytes, @Nullable ScaleVerb takes) {
        this.nic = nic;
        this.tally = tally;
        this.depth = depth;
        this.bytes = bytes;
        domain = nic.allocateProtectionDomain();
        completions = nic.createCompletionQueue(Math.max(1024, 4 * depth));
        region = domain.allocate(Math.max(bytes, 64), Access.ALL);
        this.takes = takes;
        inbox = takes == ScaleVerb.APPEND ? domain.createAppendQueue(new AppendQueueAttributes()) : null;
        shared = takes == ScaleVerb.SEND_SHARED ? domain.createSharedReceiveQueue(SHARED_DEPTH, 1) : null;
        for (int i = 0; i < SHARED_DEPTH && shared != null; i++) {
            shared.postReceive(0, region.key(), 0, bytes);
        }
        byNumber = new QueuePair[Integer.highestOneBit(queuePairs + 1) * 4];
        message = new UnsafeBuffer(new byte[Math.max(bytes, 8)]);
    }

    Nic nic() {
        return nic;
    }

    /** Makes a queue pair, in RESET. */
    QueuePair makeQueuePair() {
        QueuePairAttributes attributes = new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(depth)
                .maxReceive(depth)
                .maxInline(Math.max(bytes, 64));
        QueuePair made = domain.createQueuePair(shared == null ? attributes : attributes.sharedReceiveQueue(shared));
        byNumber[made.number() & (byNumber.length - 1)] = made;
        return made;
    }

    /** Connects a queue pair of this side, with receives for all that may be under way. */
    void connect(QueuePair queuePair, ScaleEnd peer, QueuePair theirs) {
        queuePair.connect(peer.nic.id(), theirs.number(), new ConnectAttributes().pathMtu(1024));
        for (int i = 0; i < depth && takes == ScaleVerb.SEND; i++) {
            postReceive(queuePair);
        }
    }

    private void postReceive(QueuePair queuePair) {
        if (queuePair.postReceive(0, region.key(), 0, bytes) != PostResult.POSTED) {
            throw new RunException("the receive queue of " + queuePair + " is full");
        }
    }

    /** Posts a burst with one doorbell; its last message is acknowledged by a completion. */
    void post(QueuePair queuePair, ScaleVerb verb, ScaleEnd peer, int burst) {
        for (int i = 0; i < burst; i++) {
            if (verb == ScaleVerb.APPEND) {
                AppendQueue to = peer.inbox();
                request.append(to.id(), to.key());
            } else {
                request.send();
            }
            request.inline(message, 0, bytes).wrId(burst).signaled(i == burst - 1);
            if (queuePair.post(request) != PostResult.POSTED) {
                throw new RunException("the send queue of " + queuePair + " is full");
            }
        }
        queuePair.doorbell();
    }

    private AppendQueue inbox() {
        AppendQueue own = inbox;
        if (own == null) {
            throw new IllegalStateException("no append queue");
        }
        return own;
    }

    /** A turn of the engine, and of whoever takes what it brings. */
    void turn() {
        nic.engine(0).doWork();
        completions.poll(onCompletion, POLL_LIMIT);
        if (inbox != null) {
            inbox.poll(onMessage, POLL_LIMIT);
        }
    }

    private void onCompletion(Completion completion) {
        if (!completion.isSuccess()) {
            throw new RunException("a request ended in " + completion.status());
        }
        if (completion.opcode() == WcOpcode.RECEIVE) {
            countTaken();
            if (shared != null) {
                shared.postReceive(0, region.key(), 0, bytes);
            } else {
                postReceive(byNumber[completion.qpNumber() & (byNumber.length - 1)]);
            }
        } else {
            tally.acknowledged += completion.wrId();
        }
    }

    private void countTaken() {
        tally.taken++;
    }

    boolean isUp(Nic peer) {
        boolean[] up = new boolean[1];
        nic.engine(0).call(() -> up[0] = nic.engine(0).path(peer.id()).isUp());
        return up[0];
    }
}
