package io.verbena.bench.tenants;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.verification.RunException;
import java.util.StringJoiner;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A tenant that sends: a group, a protection domain and queue pairs of its own, whose send queues it keeps full: each
 * time a batch is complete it posts another on the same queue pair. For one thread, but where it says otherwise.
 */
final class TenantSender {
    private static final int LIMIT = 256;
    private static final int INLINE = 256;
    private static final int MISSING = -1;
    private static final int NO_KEY = 0x7fff_fff0;
    private static final int INVALID_EVERY = 4;
    private static final int BYTES_PER_TURN = 64 << 10;

    private static final long PSN_STEP = 1_000_003;
    private static final long PSN_MASK = (1 << 24) - 1;

    private final MeasuredTenant tenant;
    private final PerformanceGroup group;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final QueuePair[] queuePairs;
    private final boolean[] broken;
    private final Int2IntHashMap byNumber = new Int2IntHashMap(MISSING);
    private final IntArrayList ready = new IntArrayList(); // queue pairs with room for a batch
    private final IntArrayList toReset = new IntArrayList();
    private final UnsafeBuffer message;
    private final SendRequest request = new SendRequest();
    private final CompletionHandler onCompletion = this::onCompletion;
    private final int batch;
    private final int batchesPerTurn;
    private ConnectAttributes connectAttributes = new ConnectAttributes();
    private TenantPeer peer = TenantPeer.NONE;
    private final PostedRequests posted;
    private final SenderTally tally = new SenderTally();
    private Reconnection reconnection = (index, peerQp, attributes) -> {};

    /** What brings the other end of a queue pair back to RTS. */
    @FunctionalInterface
    interface Reconnection {
        /** The peer's queue pair of an index, connected to this side's number again. */
        void reconnect(int index, int number, ConnectAttributes attributes);
    }

    /** Creates the group and the queue pairs, in RESET. */
    TenantSender(Nic nic, MeasuredTenant tenant) {
        this.tenant = tenant;
        group = nic.createGroup(new GroupAttributes()
                .name(tenant.name())
                .weight(tenant.weight())
                .maxQueuePairWeight(PerformanceGroup.MAX_WEIGHT)
                .maxQueuePairs(tenant.queuePairs())
                .mayBeUrgent(tenant.urgent()));
        ProtectionDomain domain = nic.allocateProtectionDomain(group);
        int depth = tenant.depth();
        completions = nic.createCompletionQueue(
                Math.min(CompletionQueue.MAX_DEPTH, Math.max(1024, 2 * depth * tenant.queuePairs())));
        region = domain.allocate(Math.max(64, tenant.bytes()), Access.ALL);
        boolean inline = tenant.bytes() <= INLINE && tenant.verb() != TenantVerb.READ;
        QueuePairAttributes attributes = new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(depth)
                .maxReceive(1)
                .maxSge(1)
                .maxInline(inline ? tenant.bytes() : 0);
        queuePairs = new QueuePair[tenant.queuePairs()];
        broken = new boolean[queuePairs.length];
        for (int i = 0; i < queuePairs.length; i++) {
            queuePairs[i] = domain.createQueuePair(attributes);
            byNumber.put(queuePairs[i].number(), i);
        }
        message = new UnsafeBuffer(new byte[inline ? tenant.bytes() : 1]);
        batch = tenant.batch();
        posted = new PostedRequests(group, tenant.depth() * tenant.queuePairs());
        batchesPerTurn = Math.max(1, Math.min(LIMIT, BYTES_PER_TURN / (batch * tenant.bytes())));
    }

    /** Who it is. */
    MeasuredTenant tenant() {
        return tenant;
    }

    /** Numbers of its queue pairs, for {@link TenantSink#connect}. */
    String numbers() {
        StringJoiner numbers = new StringJoiner(" ");
        for (QueuePair each : queuePairs) {
            numbers.add(String.valueOf(each.number()));
        }
        return numbers.toString();
    }

    /** Connects all queue pairs to a sink's. */
    void connect(long nic, String address, ConnectAttributes attributes) {
        peer = TenantPeer.parse(nic, address, queuePairs.length);
        connectAttributes = attributes;
        for (int i = 0; i < queuePairs.length; i++) {
            connect(i);
        }
    }

    private void connect(int index) {
        QueuePair own = queuePairs[index];
        own.connect(peer.nic(), peer.queuePairs()[index], connectAttributes);
        own.modify(new QpAttributes()
                .weight(tenant.queuePairWeight())
                .trafficClass(tenant.urgent() ? TrafficClass.URGENT : TrafficClass.BULK));
        for (int i = 0; i < tenant.depth() / batch; i++) {
            ready.addInt(index);
        }
    }

    /** Who brings the other ends back of queue pairs that this tenant's conduct breaks. */
    void onReset(Reconnection other) {
        reconnection = other;
    }

    /**
     * Takes completions and posts as many batches as were completed, but not much at a time; gives the engine its
     * turns.
     *
     * @return the amount of work done
     */
    int turn() {
        return post(batchesPerTurn);
    }

    /** Likewise up to a number of requests, whatever their size: who posts for several has as much time for each. */
    int turn(int requests) {
        return post(Math.max(1, requests / batch));
    }

    private int post(int batches) {
        int work = completions.poll(onCompletion, LIMIT);
        if (!toReset.isEmpty()) {
            repair();
        }
        int count = Math.min(batches, ready.size());
        for (int i = 0; i < count; i++) {
            postBatch(ready.removeAt(ready.size() - 1));
        }
        return work + count;
    }

    /** Whether a turn would find nothing to take and nothing to post. */
    boolean isIdle() {
        return ready.isEmpty() && toReset.isEmpty() && completions.isEmpty();
    }

    private void postBatch(int index) {
        if (broken[index]) {
            return;
        }
        QueuePair own = queuePairs[index];
        if (own.maxSend() - own.outstanding() < batch) {
            ready.addInt(index); // the batch's completion was there before its slots were free
            return;
        }
        long before = posted.begin();
        for (int i = 0; i < batch; i++) {
            fill(before + i, i == batch - 1);
            if (own.post(request) != PostResult.POSTED) {
                throw new RunException("the send queue of " + own + " is full though a batch was complete");
            }
        }
        posted.end(batch);
        own.doorbell();
    }

    private void fill(long number, boolean last) {
        switch (tenant.verb()) {
            case WRITE -> request.write(peer.remoteKey(), 0);
            case WRITE_IMMEDIATE -> request.writeImmediate(peer.remoteKey(), 0, 0);
            case READ -> request.read(peer.remoteKey(), 0);
            case SEND -> request.send();
            default -> request.append(peer.queueId(), peer.queueKey());
        }
        boolean invalid = tenant.conduct() == Conduct.INVALID && number % INVALID_EVERY == INVALID_EVERY - 1;
        if (invalid) {
            refuse();
            request.write(peer.remoteKey(), 0).local(NO_KEY, 0, tenant.bytes());
        } else if (tenant.bytes() <= INLINE && tenant.verb() != TenantVerb.READ) {
            request.inline(message, 0, tenant.bytes());
        } else {
            request.local(region.key(), 0, tenant.bytes());
        }
        request.wrId(batch).signaled(last);
    }

    /** Posts what can never be executed, which must be refused at once. */
    private void refuse() {
        SendRequest twice = new SendRequest()
                .write(peer.remoteKey(), 0)
                .local(region.key(), 0, 1)
                .local(region.key(), 0, 1);
        try {
            queuePairs[0].post(twice);
            throw new RunException("a request with 2 entries was taken where 1 is the maximum");
        } catch (IllegalArgumentException | IllegalStateException e) {
            tally.refused++;
        }
    }

    private void onCompletion(Completion completion) {
        int index = byNumber.get(completion.qpNumber());
        if (index == MISSING) {
            return;
        }
        if (completion.isSuccess()) {
            if (!broken[index]) {
                tally.complete(completion.wrId());
                ready.addInt(index);
            }
            return;
        }
        if (tenant.conduct() != Conduct.INVALID && tenant.conduct() != Conduct.SILENT) {
            throw new RunException(tenant.name() + ": a request ended in " + completion.status());
        }
        tally.errors++;
        if (!broken[index]) {
            broken[index] = true;
            toReset.addInt(index);
        }
    }

    /** From ERR through RESET to RTS, both ends. Completions that were flushed until then are found broken, or late. */
    private void repair() {
        for (int i = toReset.size() - 1; i >= 0; i--) {
            int index = toReset.getInt(i);
            QueuePair own = queuePairs[index];
            if (own.state() != QpState.ERR) {
                continue;
            }
            while (completions.poll(onCompletion, LIMIT) > 0) {
                // what is left of the life that ended
                continue;
            }
            own.modify(new QpAttributes().state(QpState.RESET));
            while (ready.removeInt(index)) {
                continue; // batches of that life
            }
            tally.lives++;
            // What is still under way from the life before is not taken for this one's.
            int psn = (int) (tally.lives * PSN_STEP & PSN_MASK);
            connectAttributes.sendPsn(psn).receivePsn(psn);
            reconnection.reconnect(index, own.number(), connectAttributes);
            broken[index] = false;
            toReset.removeAt(i);
            connect(index);
        }
    }

    /** What has become of its requests. */
    SenderTally tally() {
        return tally;
    }

    /** As {@link PostedRequests#hadWork}. */
    boolean hadWork() {
        return posted.hadWork();
    }

    /** What the NIC says of its group. Any thread. */
    GroupStatistics statistics() {
        return group.statistics();
    }
}
