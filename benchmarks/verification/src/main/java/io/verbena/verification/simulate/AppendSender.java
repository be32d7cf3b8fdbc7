package io.verbena.verification.simulate;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.Completion;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One who appends: a queue pair to the owner, made anew when it is broken, and the model of each. */
final class AppendSender {
    static final int SLOTS = 16;
    private static final int SEQUENCE_BITS = 20;
    private static final int FOR_EVER = 7;
    private static final int[] MTUS = {1024, 2048, 4096};

    private final AppendWalk walk;
    private final AppendPlan plan;
    final AppendHost host;
    private final int index;
    final QpType type;
    private final int mtu;
    private final int rnrRetry;
    private final int timeout;
    private final int capacity;

    /** A connection from its making to its end. */
    private static final class Epoch {
        final int number;
        final AppendModel model;
        final QueuePair qp;
        final QueuePair peer;
        final int qkey;
        final @Nullable AddressHandle handle;
        int next;

        Epoch(int number, AppendModel model, QueuePair qp, QueuePair peer, int qkey, @Nullable AddressHandle handle) {
            this.number = number;
            this.model = model;
            this.qp = qp;
            this.peer = peer;
            this.qkey = qkey;
            this.handle = handle;
        }
    }

    private final List<AppendModel> models = new ArrayList<>();
    private final List<QueuePair> bereaved = new ArrayList<>();
    private @Nullable Epoch epoch;
    private int at;
    private boolean patient;

    AppendSender(AppendWalk walk, AppendPlan plan, AppendHost host, int index, SimRandom random) {
        this.walk = walk;
        this.plan = plan;
        this.host = host;
        this.index = index;
        int transport = random.nextInt(10);
        type = transport < 7 ? QpType.RC : transport < 8 ? QpType.UC : QpType.UD;
        mtu = MTUS[random.nextInt(MTUS.length)];
        rnrRetry = random.nextInt(3) == 0 ? 2 : FOR_EVER;
        timeout = 5 + random.nextInt(2);
        capacity = Math.max(4 * plan.maxMessage, 1 << 16);
    }

    /** Bytes of the host's region that this one uses. */
    int capacity() {
        return capacity;
    }

    boolean isConnected() {
        return epoch != null;
    }

    boolean isBroken() {
        Epoch e = epoch;
        return e == null || e.model.isFailed() || e.qp.state() == QpState.ERR;
    }

    boolean isQuiet() {
        Epoch e = epoch;
        return e == null || e.model.isQuiet();
    }

    int owed(int queue) {
        int owed = 0;
        for (AppendModel model : models) {
            owed += model.owed(queue);
        }
        return owed;
    }

    void queueGone(int queue) {
        models.forEach(model -> model.queueGone(queue));
    }

    // ---- life ---------------------------------------------------------------------------------------------------

    /** Connects, so that it waits forever for a receiver that is not ready. */
    void connectPatiently(SimRandom random) {
        patient = true;
        connect(random);
    }

    void connect(SimRandom random) {
        bury();
        AppendHost owner = walk.owner();
        if (epoch != null || !host.isAlive() || !owner.isAlive()) {
            return;
        }
        QueuePair qp = create(host);
        QueuePair peer = qp == null ? null : create(owner);
        if (qp == null || peer == null) {
            return; // one of them has died in it
        }
        int number = walk.know(this, models.size());
        AppendModel model = new AppendModel(
                "sender " + index + " (" + type + ") " + number,
                type,
                plan.has(AppendPlan.Feature.DUPLICATION),
                peer.number(),
                walk.tally());
        models.add(model);
        int qkey = random.nextInt(Integer.MAX_VALUE);
        int psn = random.nextInt(1 << 24);
        AddressHandle[] handle = new AddressHandle[1];
        if (type == QpType.UD) {
            host.node.act(() -> {
                qp.activate(qkey);
                handle[0] = host.pd().createAddressHandle(owner.node.nicId());
            });
            owner.node.act(() -> peer.activate(qkey));
        } else {
            owner.node.act(() -> peer.connect(host.node.nicId(), qp.number(), attributes(psn)));
            host.node.act(() -> qp.connect(owner.node.nicId(), peer.number(), attributes(psn)));
        }
        if (!host.isAlive()) { // it has died in it, as the sender of another append
            bereaved.add(peer);
            return;
        }
        host.know(qp.number(), this, model);
        epoch = new Epoch(number, model, qp, peer, qkey, handle[0]);
        at = 0;
        walk.tally().event(AppendTally.Event.CONNECTIONS);
    }

    private @Nullable QueuePair create(AppendHost at) {
        QueuePair[] made = new QueuePair[1];
        at.node.act(() -> {
            ProtectionDomain pd = at.pd();
            made[0] = pd.createQueuePair(new QueuePairAttributes()
                    .completionQueue(at.completions())
                    .maxSend(SLOTS)
                    .maxReceive(1)
                    .type(type));
            at.owns(made[0]);
        });
        return made[0];
    }

    private ConnectAttributes attributes(int psn) {
        return new ConnectAttributes()
                .pathMtu(mtu)
                .sendPsn(psn)
                .receivePsn(psn)
                .timeout(timeout)
                .retryCount(7)
                .rnrRetry(patient ? FOR_EVER : rnrRetry)
                .minRnrTimer(1 + index % 4);
    }

    /** Ends the connection, flushing or resetting what is outstanding. */
    void disconnect(boolean flush) {
        bury();
        Epoch e = epoch;
        if (e == null) {
            return;
        }
        e.model.torn = true;
        AppendHost owner = walk.owner();
        if (host.isAlive()) {
            host.node.act(() -> e.qp.modify(new QpAttributes().state(flush ? QpState.ERR : QpState.RESET)));
            host.drain();
        }
        if (flush && epoch == e && host.isAlive() && !e.model.isQuiet()) {
            throw new WalkFailure(e.model + ": flushed, but not complete");
        }
        end(e);
        if (host.isAlive()) {
            host.node.act(() -> {
                e.qp.close();
                AddressHandle handle = e.handle;
                if (handle != null) {
                    handle.close();
                }
            });
        }
        if (owner.isAlive() && owner.knows(e.peer)) {
            owner.node.act(e.peer::close);
        }
    }

    private void end(Epoch e) {
        if (epoch == e) {
            epoch = null;
        }
        e.model.closed();
    }

    /** The sender's process, or the owner's, is gone. */
    void died() {
        Epoch e = epoch;
        if (e == null) {
            return;
        }
        e.model.torn = true;
        if (!host.isAlive()) {
            bereaved.add(e.peer);
            end(e);
        }
    }

    /** The owner closes the queue pairs of those that have died, with what had come of their last messages. */
    private void bury() {
        AppendHost owner = walk.owner();
        for (QueuePair peer : bereaved) {
            if (owner.isAlive() && owner.knows(peer)) {
                owner.node.act(peer::close);
            }
        }
        bereaved.clear();
    }

    // ---- work ---------------------------------------------------------------------------------------------------

    /** Posts a random message, or one of a length. */
    void post(SimRandom random, int wanted) {
        Epoch e = epoch;
        if (e == null || !host.isAlive() || walk.queue() == null || e.next == (1 << SEQUENCE_BITS) - 1) {
            return;
        }
        RequestFlaw flaw = RequestFlaw.NONE;
        if (wanted < 0 && plan.has(AppendPlan.Feature.FLAWS) && random.nextInt(30) == 0) {
            int which = random.nextInt(3);
            flaw = which == 0 ? RequestFlaw.NO_QUEUE : which == 1 ? RequestFlaw.QUEUE_KEY : RequestFlaw.TOO_LONG;
            if (flaw == RequestFlaw.TOO_LONG && (type != QpType.RC || plan.maxMessage + 1 > capacity)) {
                flaw = RequestFlaw.QUEUE_KEY;
            }
        }
        int length = flaw == RequestFlaw.TOO_LONG ? plan.maxMessage + 1 : wanted >= 0 ? wanted : length(random);
        length = type == QpType.RC ? length : Math.min(length, mtu);
        int start = place(e, length);
        if (start < 0) {
            return;
        }
        long identity = ((long) e.number << SEQUENCE_BITS | e.next) * 0x9E37_79B9L + plan.seed();
        AppendMessage m = new AppendMessage(e.next, length, walk.queueNumber(), flaw, identity, start);
        MemoryRegion region = host.region();
        int offset = host.offset(this) + start;
        Pattern.fill(region.buffer(), offset, identity, 0, length);
        int key = walk.queueKey() ^ (flaw == RequestFlaw.QUEUE_KEY ? 1 << 8 : 0);
        int id = walk.queueId() + (flaw == RequestFlaw.NO_QUEUE ? 5 : 0);
        SendRequest request = new SendRequest()
                .appendImmediate(id, key, e.number << SEQUENCE_BITS | e.next)
                .wrId((long) e.number << SEQUENCE_BITS | e.next)
                .local(region.key(), offset, length);
        AddressHandle handle = e.handle;
        if (handle != null) {
            request.to(handle, e.peer.number(), e.qkey);
        }
        // The model has it first: it may be done, or its poster die, before the post returns.
        e.model.posted(m);
        e.next++;
        at = start + length;
        PostResult[] result = new PostResult[1];
        boolean alive = host.node.act(() -> result[0] = e.qp.postSend(request));
        if (alive && result[0] != PostResult.POSTED) {
            throw new WalkFailure(e.model + ": " + m + " was refused: " + result[0]);
        }
    }

    /** Where the bytes of a message go that no outstanding one uses, or -1. */
    private int place(Epoch e, int length) {
        if (e.qp.outstanding() >= SLOTS - 1) {
            return -1;
        }
        int oldest = e.model.oldest();
        if (oldest < 0) {
            return 0;
        }
        if (at >= oldest) {
            if (length <= capacity - at) {
                return at;
            }
            return length < oldest ? 0 : -1;
        }
        return length < oldest - at ? at : -1;
    }

    private int length(SimRandom random) {
        int kind = random.nextInt(40);
        if (kind < 4) {
            return 0;
        }
        if (kind < 28) {
            return random.nextInt(Math.min(300, plan.maxMessage));
        }
        if (kind < 38) {
            return random.nextInt(Math.min(plan.chunkLength / 4, plan.maxMessage) + 1);
        }
        return kind == 38 ? plan.maxMessage : random.nextInt(plan.maxMessage + 1);
    }

    /** A completion of one of this one's connections. */
    void completed(AppendModel model, Completion c) {
        int sequence = (int) c.wrId() & ((1 << SEQUENCE_BITS) - 1);
        model.completed(
                sequence, c.status(), walk.queueNumber(), plan.isSilent(), rnrRetry != FOR_EVER, plan.isImpatient());
    }

    /** The model of one of this one's connections, by its place. */
    AppendModel model(int place) {
        return models.get(place);
    }

    static int epochOf(int immediate) {
        return immediate >>> SEQUENCE_BITS;
    }

    static int sequenceOf(int immediate) {
        return immediate & ((1 << SEQUENCE_BITS) - 1);
    }

    @Override
    public String toString() {
        Epoch e = epoch;
        return "sender " + index + " at " + host.node.name() + ' '
                + (e == null ? "not connected" : e.model + " " + e.qp);
    }
}
