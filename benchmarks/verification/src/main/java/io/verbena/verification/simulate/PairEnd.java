package io.verbena.verification.simulate;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.QueuePair;
import io.verbena.nic.verbs.QpState;
import org.jspecify.annotations.Nullable;

/** One end of a connection: its queue pair of the present epoch, and where its memory lies in its host's regions. */
final class PairEnd {
    static final int SLOTS = 16;
    /** Bytes between what is used, which nobody may write. */
    static final int GUARD = 64;

    final SimulatedHost host;
    final Pair pair;
    private final int place;

    /** What it sends; and what it receives. */
    @Nullable
    DirectionModel out;

    @Nullable
    DirectionModel in;

    /** Takes its receives from the queue that its host's queue pairs share. */
    final boolean shares;

    @Nullable
    QueuePair qp;

    private int number;
    /** The host's life in which the queue pair was made. */
    private int life;
    /** The application has moved it to ERR. */
    boolean forced;

    int nextSend;
    int nextReceive;
    int unsignaled;
    /** The last receive of the shared queue that has completed here. */
    int lastShared;
    /** Times that LAST_WQE_REACHED was raised. */
    int lastWqe;

    /** Of a queue pair for datagrams: its Q_Key, and the handle of the peer's address. */
    int qkey;

    @Nullable
    AddressHandle handle;

    /** A handle that is closed. */
    @Nullable
    AddressHandle closedHandle;

    final PairWindow window = new PairWindow();

    PairEnd(SimulatedHost host, Pair pair, int place, boolean shares) {
        this.host = host;
        this.pair = pair;
        this.place = place;
        this.shares = shares;
    }

    void attach(QueuePair made) {
        qp = made;
        number = made.number();
        life = host.life();
        forced = false;
        nextSend = 0;
        nextReceive = 0;
        unsignaled = 0;
        lastShared = -1;
        lastWqe = 0;
        window.clear();
        handle = null;
        closedHandle = null;
    }

    /** Number of the queue pair of this epoch, also when it is gone. */
    int number() {
        return number;
    }

    DirectionModel outgoing() {
        DirectionModel channel = out;
        if (channel == null) {
            throw new IllegalStateException("no channel yet");
        }
        return channel;
    }

    DirectionModel incoming() {
        DirectionModel channel = in;
        if (channel == null) {
            throw new IllegalStateException("no channel yet");
        }
        return channel;
    }

    /** Makes a handle of the peer's address, and one that is closed at once. */
    void openHandles() {
        long peer = pair.peer(this).host.node.nicId();
        AddressHandle closed = host.memory().pd().createAddressHandle(peer);
        closed.close();
        closedHandle = closed;
        handle = host.memory().pd().createAddressHandle(peer);
    }

    /** Closes the handle of the peer's address, requests that name it or not, and makes another. */
    void reopenHandles() {
        AddressHandle open = handle;
        if (open == null || !isPresent()) {
            return;
        }
        for (ModelRequest r : outgoing().outstanding) {
            r.outcome.stale = true;
        }
        open.close();
        openHandles();
    }

    /** Whether the host still is as it was when the epoch began. */
    boolean isPresent() {
        return host.isAlive() && host.life() == life;
    }

    /**
     * Whether requests flushed without an error of their own are no surprise: the application or the peer saw to it.
     */
    boolean mayBeInError() {
        return forced || incoming().isFlawed() || pair.isTorn();
    }

    boolean isInError() {
        QueuePair present = qp;
        return present == null || present.state() == QpState.ERR || present.state() == QpState.SQE;
    }

    /** Offset in the host's local region of a request's slot. */
    int sendSlot(ModelRequest r) {
        HostMemory memory = host.memory();
        return memory.base(place) + r.sequence % SLOTS * memory.stride();
    }

    /** Offset in the host's local region of a receive's slot. */
    int receiveSlot(int slot) {
        HostMemory memory = host.memory();
        return memory.base(place) + (SLOTS + slot) * memory.stride();
    }

    /** Offset in this end's host's target region of what the peer's requests change. */
    int slice() {
        return HostMemory.slice(place);
    }

    @Override
    public String toString() {
        return host.name() + " qp " + number;
    }
}
