package io.verbena.nic.sim;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two endpoints and the link between them, with the means to cut, break, bring back and kill it. Not thread-safe.
 *
 * <p>A cut is silent: both ends stay up and packets are lost. A break is seen by both ends; {@link #reconnect} gives
 * them a new link, as a fabric does.
 */
public final class SimConnection {
    private final Simulation simulation;
    private final String wayAToB;
    private final String wayBToA;
    private End endA;
    private End endB;
    private SimLink a;
    private SimLink b;
    private final LinkCounters gone = new LinkCounters();
    private boolean cutA;
    private boolean cutB;
    private boolean partitioned;

    /**
     * One end of a connection.
     *
     * @param name in the trace
     * @param endpoint whom links are for
     * @param nic models the NIC's own time, if that is simulated
     * @param stepper runs between the steps of direct operations, if they are interleaved
     */
    record End(
            String name,
            LinkEndpoint endpoint,
            @Nullable NicModel nic,
            @Nullable Runnable stepper) {
        long nicId() {
            return endpoint.nicId();
        }

        void wake() {
            endpoint.waiter().wake();
        }

        End with(LinkEndpoint present) {
            return new End(name, present, nic, stepper);
        }
    }

    SimConnection(Simulation simulation, End endA, End endB, LinkProfile profileAToB, LinkProfile profileBToA) {
        if (profileAToB.direct != profileBToA.direct || profileAToB.maxPacket != profileBToA.maxPacket) {
            throw new IllegalArgumentException("the directions differ in direct (" + profileAToB.direct + ", "
                    + profileBToA.direct + ") or largest packet (" + profileAToB.maxPacket + ", "
                    + profileBToA.maxPacket + ')');
        }
        this.simulation = simulation;
        this.wayAToB = endA.name() + '>' + endB.name();
        this.wayBToA = endB.name() + '>' + endA.name();
        this.endA = endA;
        this.endB = endB;
        a = new SimLink(simulation, wayAToB, endA, endB, profileAToB.copy());
        b = new SimLink(simulation, wayBToA, endB, endA, profileBToA.copy());
        announce();
    }

    /** The present end at the first endpoint. */
    public SimLink a() {
        return a;
    }

    /** The present end at the second endpoint. */
    public SimLink b() {
        return b;
    }

    /** Adds what became of all packets of this connection, also on links that are gone. */
    void addCounters(LinkCounters sum) {
        sum.add(gone);
        sum.add(a.counters());
        sum.add(b.counters());
    }

    /** Applies a change to both directions' profiles. */
    public void profiles(Consumer<LinkProfile> change) {
        change.accept(a.profile());
        change.accept(b.profile());
    }

    /** Loses everything in both directions, silently. */
    public void cut() {
        cutAToB(true);
        cutBToA(true);
    }

    /** Ends a {@link #cut}, in both directions. */
    public void heal() {
        cutAToB(false);
        cutBToA(false);
    }

    /** Loses what the first endpoint sends, silently, or stops doing so. */
    public void cutAToB(boolean apart) {
        simulation.note(wayAToB + (apart ? " cut" : " healed"));
        cutA = apart;
        applyCuts();
    }

    /** Loses what the second endpoint sends, silently, or stops doing so. */
    public void cutBToA(boolean apart) {
        simulation.note(wayBToA + (apart ? " cut" : " healed"));
        cutB = apart;
        applyCuts();
    }

    /** Loses everything in both directions because a partition lies between the endpoints, or stops doing so. */
    void partitioned(boolean apart) {
        partitioned = apart;
        applyCuts();
    }

    private void applyCuts() {
        a.cut(cutA || partitioned);
        b.cut(cutB || partitioned);
    }

    /** Whether one of the endpoints is of this NIC. */
    public boolean touches(long nicId) {
        return endA.nicId() == nicId || endB.nicId() == nicId;
    }

    /** Whether both ends are up. */
    public boolean isUp() {
        return a.state() == Link.State.UP && b.state() == Link.State.UP;
    }

    /** Whether something is lost in silence now, in one direction or both. */
    public boolean isCut() {
        return cutA || cutB || partitioned;
    }

    LinkEndpoint endpointA() {
        return endA.endpoint();
    }

    LinkEndpoint endpointB() {
        return endB.endpoint();
    }

    /** The end at a NIC. */
    public SimLink end(long nicId) {
        return endA.nicId() == nicId ? a : b;
    }

    /** Breaks the link: both ends are down now, and what was under way is lost. */
    public void breakLink() {
        a.lose(Link.State.DOWN);
        b.lose(Link.State.DOWN);
    }

    /**
     * The first endpoint's process dies: the second's end is dead after the delay. Its actor is the caller's to remove.
     */
    public void killA() {
        kill(a, b);
    }

    /**
     * The second endpoint's process dies: the first's end is dead after the delay. Its actor is the caller's to remove.
     */
    public void killB() {
        kill(b, a);
    }

    private void kill(SimLink dead, SimLink survivor) {
        dead.lose(Link.State.CLOSED);
        simulation.after(survivor.profile().delayNanos, () -> survivor.lose(Link.State.DEAD));
    }

    /** A NIC at one of the ends, or at both, is gone. */
    void crash(long nicId) {
        if (endA.nicId() == nicId) {
            killA();
        }
        if (endB.nicId() == nicId) {
            killB();
        }
    }

    /** A NIC of the same identity is there again, with an endpoint of its own; the link comes up anew. */
    void restart(LinkEndpoint endpoint) {
        if (endA.nicId() == endpoint.nicId()) {
            endA = endA.with(endpoint);
        }
        if (endB.nicId() == endpoint.nicId()) {
            endB = endB.with(endpoint);
        }
        a.lose(Link.State.DEAD);
        b.lose(Link.State.DEAD);
        reconnect();
    }

    /**
     * Brings up a new link of the same profiles after a break.
     *
     * @throws IllegalStateException if an end of the present link is up
     */
    public void reconnect() {
        if (a.state() == Link.State.UP || b.state() == Link.State.UP) {
            throw new IllegalStateException("the link is not broken: " + a.state() + ", " + b.state());
        }
        gone.add(a.counters());
        gone.add(b.counters());
        a = new SimLink(simulation, wayAToB, endA, endB, a.profile());
        b = new SimLink(simulation, wayBToA, endB, endA, b.profile());
        announce();
    }

    private void announce() {
        a.join(b);
        b.join(a);
        applyCuts();
        endA.endpoint().listener().onLink(a);
        endB.endpoint().listener().onLink(b);
    }

    @Override
    public String toString() {
        return a + "; " + b;
    }
}
