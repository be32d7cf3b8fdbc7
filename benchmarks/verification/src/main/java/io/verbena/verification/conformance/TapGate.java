package io.verbena.verification.conformance;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Where the links of a {@link TestNic} come in: each gets a {@link Tap}, and waits while the gate is closed. */
final class TapGate implements LinkListener {
    private final LinkEndpoint engine;
    private final Way out;
    private final Way in;
    private final boolean hidesMemory;
    private final Deque<Tap> waiting = new ArrayDeque<>();
    private @Nullable Tap tap;
    private boolean closed;

    /**
     * Open.
     *
     * @param engine for whom links are
     * @param out has its say over what the engine sends
     * @param in over what it gets
     * @param hidesMemory whether links do without the peer's memory
     */
    TapGate(LinkEndpoint engine, Way out, Way in, boolean hidesMemory) {
        this.engine = engine;
        this.out = out;
        this.in = in;
        this.hidesMemory = hidesMemory;
    }

    /** The engine's endpoint, with this gate before it. */
    LinkEndpoint endpoint() {
        return new LinkEndpoint(engine.nicId(), engine.engine(), engine.waiter(), engine.memory(), this);
    }

    /** The link as the engine has it, or null. */
    @Nullable
    Tap tap() {
        return tap;
    }

    boolean isLinked() {
        Tap now = tap;
        return now != null && now.state() == Link.State.UP;
    }

    /** Keeps new links from the engine until {@link #open}. */
    void close() {
        closed = true;
    }

    boolean hasWaitingLink() {
        return waiting.stream().anyMatch(t -> t.state() == Link.State.UP);
    }

    void open() {
        closed = false;
        while (!waiting.isEmpty()) {
            attach(waiting.poll());
        }
    }

    @Override
    public void onLink(Link link) {
        Tap made = new Tap(link, out, in, hidesMemory);
        if (closed) {
            waiting.add(made);
        } else {
            attach(made);
        }
    }

    private void attach(Tap made) {
        tap = made;
        in.arrived = in.sent;
        engine.listener().onLink(made);
    }

    @Override
    public void onRejected(String remote, String reason) {
        throw new AssertionError(remote + ": " + reason);
    }
}
