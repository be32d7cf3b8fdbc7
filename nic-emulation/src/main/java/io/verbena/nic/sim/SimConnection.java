package io.verbena.nic.sim;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two endpoints and the link between them, with the means to cut, break, bring back and kill it. Not thread-safe.
 *
 * <p>A cut is silent: both ends stay up and packets are lost. A break is seen by both ends; {@link #reconnect} gives them
 * a new link, as a fabric does.
 */
public final class SimConnection {
    private final Simulation simulation;
    private final String wayAToB;
    private final String wayBToA;
    private LinkEndpoint endpointA;
    private LinkEndpoint endpointB;
    private final @Nullable NicModel nicA;
    private final @Nullable NicModel nicB;
    private final @Nullable Runnable stepperA;
    private final @Nullable Runnable stepperB;
    private SimLink a;
    private SimLink b;
    private final LinkCounters gone = new LinkCounters();
    private boolean cutA;
    private boolean cutB;
    private boolean partitioned;

    SimConnection(
            Simulation simulation,
            String nameA,
            LinkEndpoint endpointA,
            String nameB,
            LinkEndpoint endpointB,
            LinkProfile profileAToB,
            LinkProfile profileBToA,
            @Nullable NicModel nicA,
            @Nullable NicModel nicB,
            @Nullable Runnable stepperA,
            @Nullable Runnable stepperB) {
        if (profileAToB.direct != profileBToA.direct || profileAToB.maxPacket != profileBToA.maxPacket) {
            throw new IllegalArgumentException("the directions differ in direct (" + profileAToB.direct + ", "
                    + profileBToA.direct + ") or largest packet (" + profileAToB.maxPacket + ", "
                    + profileBToA.maxPacket + ')');
        }
        this.simulation = simulation;
        this.wayAToB = nameA + '>' + nameB;
        this.wayBToA = nameB + '>' + nameA;
        this.endpointA = endpointA;
        this.endpointB = endpointB;
        this.nicA = nicA;
        this.nicB = nicB;
        this.stepperA = stepperA;
        this.stepperB = stepperB;
        a = new SimLink(simulation, wayAToB, endpointA, endpointB, profileAToB.copy(), nicA, nicB, stepperA);
        b = new SimLink(simulation, wayBToA, endpointB, endpointA, profileBToA.copy(), nicB, nicA, stepperB);
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
        return endpointA.nicId() == nicId || endpointB.nicId() == nicId;
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
        return endpointA;
    }

    LinkEndpoint endpointB() {
        return endpointB;
    }

    /** The end at a NIC. */
    public SimLink end(long nicId) {
        return endpointA.nicId() == nicId ? a : b;
    }

    /** Breaks the link: both ends are down now, and what was under way is lost. */
    public void breakLink() {
        a.lose(Link.State.DOWN);
        b.lose(Link.State.DOWN);
    }

    /** The first endpoint's process dies: the second's end is dead after the delay. Its actor is the caller's to remove. */
    public void killA() {
        kill(a, b);
    }

    /** The second endpoint's process dies: the first's end is dead after the delay. Its actor is the caller's to remove. */
    public void killB() {
        kill(b, a);
    }

    private void kill(SimLink dead, SimLink survivor) {
        dead.lose(Link.State.CLOSED);
        simulation.after(survivor.profile().delayNanos, () -> survivor.lose(Link.State.DEAD));
    }

    /** A NIC at one of the ends, or at both, is gone. */
    void crash(long nicId) {
        if (endpointA.nicId() == nicId) {
            killA();
        }
        if (endpointB.nicId() == nicId) {
            killB();
        }
    }

    /** A NIC of the same identity is there again, with an endpoint of its own; the link comes up anew. */
    void restart(LinkEndpoint endpoint) {
        if (endpointA.nicId() == endpoint.nicId()) {
            endpointA = endpoint;
        }
        if (endpointB.nicId() == endpoint.nicId()) {
            endpointB = endpoint;
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
        a = new SimLink(simulation, wayAToB, endpointA, endpointB, a.profile(), nicA, nicB, stepperA);
        b = new SimLink(simulation, wayBToA, endpointB, endpointA, b.profile(), nicB, nicA, stepperB);
        announce();
    }

    private void announce() {
        a.join(b);
        b.join(a);
        applyCuts();
        endpointA.listener().onLink(a);
        endpointB.listener().onLink(b);
    }

    @Override
    public String toString() {
        return a + "; " + b;
    }
}
