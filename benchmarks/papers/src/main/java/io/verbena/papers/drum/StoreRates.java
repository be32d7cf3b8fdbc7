package io.verbena.papers.drum;

import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.Simulation;
import io.verbena.rate.ExchangeCount;
import io.verbena.rate.agent.ConnectedPeers;
import io.verbena.rate.agent.PeerRates;
import io.verbena.rate.agent.RateAgent;
import io.verbena.rate.agent.RateMember;
import io.verbena.rate.agent.RateSettings;
import io.verbena.rate.agent.TenantUtility;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import org.agrona.DirectBuffer;

/**
 * DRUM's two-sided problem for hosts that send to one store: how many requests a second the store completes for each,
 * on which the hosts' {@link RateAgent}s and the store's agree with the product's messages. These take the time of a
 * short message, and none of the link.
 */
final class StoreRates {
    private static final long MESSAGE_NANOS = 2_000;
    private static final long SERVER = DrumWorld.SERVER;

    private final Simulation simulation;
    private final StoreServer store;
    private final Map<Long, PeerRates> nodes = new LinkedHashMap<>();
    private final Queue<Message> underWay = new ArrayDeque<>(); // all take as long: by arrival
    private final PeerRates server;

    private static final class Message {
        final long from;
        final long to;
        final byte[] bytes;
        final long arrival;

        Message(long from, long to, byte[] bytes, long arrival) {
            this.from = from;
            this.to = to;
            this.bytes = bytes;
            this.arrival = arrival;
        }
    }

    /**
     * Begins without hosts.
     *
     * @param perSecond requests that the store completes
     */
    StoreRates(Simulation simulation, StoreServer store, double perSecond) {
        this.simulation = simulation;
        this.store = store;
        RateSettings settings = new RateSettings(SharedNic.EPOCH_NANOS, 0, perSecond, SharedNic.MARGIN, true);
        server = join(SERVER, settings, this::hosts);
        RateAgent agent = new RateAgent(settings, simulation.clock(), server);
        agent.add(new Store());
        simulation.add("rates of the store", new SharedNic.Turns(agent, simulation));
        simulation.add("rate messages", new Network());
    }

    /**
     * A host takes part.
     *
     * @param number of its NIC
     * @param sent what its applications have sent to {@link #SERVER}
     */
    PeerRates join(long number, RateSettings settings, ConnectedPeers sent) {
        PeerRates made = new PeerRates(
                settings, sent, (peer, buffer, length) -> send(number, peer, buffer, length), simulation.nowNanos());
        nodes.put(number, made);
        return made;
    }

    /** Steps of the store in which it said anew what each host may send. */
    long steps() {
        return server.counts().get(ExchangeCount.COMPLETION_STEPS);
    }

    private boolean send(long from, long to, DirectBuffer buffer, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return underWay.add(new Message(from, to, bytes, simulation.nowNanos() + MESSAGE_NANOS));
    }

    /** The store's answers are WRITEs: no host has to complete them. */
    private void hosts(ConnectedPeers.Flow flow) {
        for (long each : nodes.keySet()) {
            if (each != SERVER) {
                flow.take(each, 0, false, 0);
            }
        }
    }

    private final class Network implements Actor {
        @Override
        public int step() {
            int work = 0;
            for (Message m = underWay.peek(); m != null && m.arrival <= simulation.nowNanos(); m = underWay.peek()) {
                underWay.remove();
                PeerRates to = nodes.get(m.to);
                if (to == null || !to.receive(m.from, m.bytes, simulation.nowNanos())) {
                    throw new IllegalStateException("a message of " + m.from + " to " + m.to + " is not about rates");
                }
                work++;
            }
            return work;
        }

        @Override
        public long nextDeadlineNanos() {
            Message next = underWay.peek();
            return next == null ? NO_DEADLINE : next.arrival;
        }
    }

    /** What the store completes, of all hosts. What it grants to them is what comes: it holds nothing back itself. */
    private final class Store implements RateMember {
        @Override
        public String tenantName() {
            return "store";
        }

        @Override
        public int groupNumber() {
            return 0;
        }

        @Override
        public TenantUtility utility() {
            return TenantUtility.DEFAULT;
        }

        @Override
        public long sent() {
            return store.answered();
        }

        @Override
        public long held() {
            return 0;
        }

        @Override
        public long backloggedNanos() {
            return 0;
        }

        @Override
        public long delivered() {
            return store.completed();
        }

        @Override
        public long heldDeliveries() {
            return 0;
        }

        @Override
        public void requestRate(long perSecond) {}

        @Override
        public void completionRate(long perSecond) {}
    }
}
