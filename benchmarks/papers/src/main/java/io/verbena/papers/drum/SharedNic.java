package io.verbena.papers.drum;

import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.QpType;
import io.verbena.rate.agent.ConnectedPeers;
import io.verbena.rate.agent.PeerRates;
import io.verbena.rate.agent.RateAgent;
import io.verbena.rate.agent.RateMember;
import io.verbena.rate.agent.RateSettings;
import io.verbena.rate.agent.TenantUtility;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A host whose applications share its NIC in one {@link Way}: opens their connections. With {@link Way#DRUM} the rates
 * are those that {@link RateAgent} finds each epoch, kept by the NIC's arbiter for each queue pair.
 */
final class SharedNic {
    /** Connections a queue pair of SHARE (V-A), and of DRUM, whose range is 4 to 10 (IV). */
    static final int MULTIPLEXED = 5;

    static final long EPOCH_NANOS = 100_000;
    static final double MARGIN = 0.05; // RateOptions' default

    /** Operations that a queue pair may send at once after a rest. */
    static final int BURST = 4;

    /** Bytes a second of the link. */
    static final long LINK_BYTES = 5_000_000_000L;

    private static final int CONTEXTS = 20;
    private static final int DEEP = 4;
    private static final long LOOK_NANOS = 100;
    private static final long SECOND = 1_000_000_000L;
    private static final long WARM_UP_NANOS = 100_000;
    private static final long MEASURED_NANOS = 200_000;

    final DrumWorld world;
    private final Way way;
    private final int multiplexed; // connections a queue pair
    private final @Nullable DrumAgent agent;
    private final @Nullable RateAgent rates;
    private final List<Application> applications = new ArrayList<>();

    /** A host of WRITEs without applications, whose shared queue pairs have {@link #MULTIPLEXED} connections. */
    SharedNic(long seed, Way way, int threads, double requests) {
        this(seed, way, threads, requests, MULTIPLEXED);
    }

    /** The same with another number of connections a queue pair. */
    SharedNic(long seed, Way way, int threads, double requests, int multiplexed) {
        this(new DrumWorld(seed, way.settings(), way.threads(threads)), way, requests, multiplexed, null);
    }

    /**
     * A host without applications.
     *
     * @param world of which it is the client
     * @param requests that the NIC takes a second: what rates of DRUM are made of; 0 for DRUM without rates
     * @param multiplexed connections a queue pair, where they are shared
     * @param agreed with which rates of DRUM have to agree; null if each host finds its own
     */
    SharedNic(DrumWorld world, Way way, double requests, int multiplexed, @Nullable StoreRates agreed) {
        this.world = world;
        this.way = way;
        this.multiplexed = multiplexed;
        agent = way == Way.DRUM ? new DrumAgent(world, world.completions()) : null;
        rates = way == Way.DRUM && requests > 0 ? rates(requests, agreed) : null;
    }

    private RateAgent rates(double requests, @Nullable StoreRates agreed) {
        RateSettings settings = new RateSettings(EPOCH_NANOS, requests, 0, MARGIN, agreed != null);
        PeerRates peers = agreed == null ? null : agreed.join(world.id(), settings, this::sent);
        RateAgent made = new RateAgent(settings, world.simulation.clock(), peers);
        world.simulation.add("rates", new Turns(made, world.simulation));
        return made;
    }

    /** All that applications send goes to the store. */
    private void sent(ConnectedPeers.Flow flow) {
        for (Application each : applications) {
            PerformanceGroup group = each.tenant.group();
            flow.take(DrumWorld.SERVER, group.index(), true, group.statistics().messages());
        }
    }

    /**
     * Requests of so many bytes that the NIC takes a second, as measured: RAW, with as many queue pairs as it keeps
     * contexts of, each with several requests under way, for as long as the link takes for all of these twice.
     */
    static double capacity(long seed, int bytes) {
        SharedNic nic = new SharedNic(seed, Way.RAW, CONTEXTS, 0);
        Application all = nic.application("all");
        List<RequestLoop> loops = new ArrayList<>();
        for (int i = 0; i < CONTEXTS; i++) {
            loops.add(nic.start(all, () -> bytes, 1, DEEP, LOOK_NANOS));
        }
        long round = (long) CONTEXTS * DEEP * bytes * SECOND / LINK_BYTES;
        nic.world.simulation.runFor(Math.max(WARM_UP_NANOS, round));
        loops.forEach(RequestLoop::record);
        long nanos = Math.max(MEASURED_NANOS, 2 * round);
        nic.world.simulation.runFor(nanos);
        return loops.stream().mapToLong(RequestLoop::requests).sum() * (double) SECOND / nanos;
    }

    /**
     * Starts a thread with a connection of its own.
     *
     * @param sizes of its requests
     * @param batch requests in a batch
     * @param ahead batches under way
     * @param restNanos after a poll
     */
    RequestLoop start(Application application, IntSupplier sizes, int batch, int ahead, long restNanos) {
        RequestLoop loop = new RequestLoop(world, application.connect(batch * ahead), sizes, batch, ahead, restNanos);
        world.cores.start("loop", loop);
        return loop;
    }

    /** An application, all of which weigh the same. */
    Application application(String name) {
        Application made = new Application(world.tenant(name));
        applications.add(made);
        return made;
    }

    /** An application of the host. */
    final class Application {
        private final DrumWorld.Tenant tenant;
        private final List<HostQueuePair> queuePairs = new ArrayList<>();
        private final List<DrumAgent.Shared> shared = new ArrayList<>();
        private @Nullable LockedQueuePair locked;
        private BooleanSupplier isRead = () -> false;
        private @Nullable StoreServer store;
        private int connections;

        Application(DrumWorld.Tenant tenant) {
            this.tenant = tenant;
            if (rates != null) {
                rates.add(new Member(this));
            }
        }

        /** Says of each request of the connections to come whether it is a READ; by default all are WRITEs. */
        void reads(BooleanSupplier each) {
            isRead = each;
        }

        /** Has the server's processor answer the requests of the connections to come: READs are GETs, WRITEs PUTs. */
        void answeredBy(StoreServer processor) {
            store = processor;
        }

        /**
         * Opens a connection.
         *
         * @param depth requests that it may have under way
         */
        Connection connect(int depth) {
            BooleanSupplier reads = isRead;
            if (store == null) {
                return connect(
                        bytes -> reads.getAsBoolean() ? world.read(tenant, bytes) : world.write(tenant, bytes), depth);
            }
            StoreServer.Call call = store.call(tenant.memory(), connections++, reads);
            return call.over(connect(call.requests(), depth));
        }

        private Connection connect(IntFunction<SendRequest> requests, int depth) {
            if (way == Way.SHARE) {
                LockedQueuePair last = locked;
                if (last == null || last.members() == multiplexed) {
                    HostCompletionQueue completions = world.completions();
                    last = new LockedQueuePair(queuePair(completions, depth * multiplexed), completions, world.cores);
                    locked = last;
                }
                return last.join(requests);
            }
            if (agent != null) {
                if (shared.isEmpty() || shared.get(shared.size() - 1).members() == multiplexed) {
                    shared.add(agent.share(queuePair(agent.completions(), DrumAgent.MAX_REQUESTS)));
                }
                return shared.get(shared.size() - 1).join(requests);
            }
            HostCompletionQueue completions = world.completions();
            return new OwnQueuePair(queuePair(completions, depth), completions, requests);
        }

        private HostQueuePair queuePair(HostCompletionQueue completions, int depth) {
            HostQueuePair made = store == null
                    ? world.connect(tenant, completions, QpType.RC, depth)
                    : world.connect(tenant, completions, depth, store);
            queuePairs.add(made);
            return made;
        }

        private void limit(long perSecond) {
            for (HostQueuePair each : queuePairs) {
                long part = Math.max(1, perSecond / queuePairs.size());
                RateLimit limit = perSecond == 0 ? RateLimit.NONE : new RateLimit(0, part, 0, BURST);
                each.queuePair().modify(new QpAttributes().rateLimit(limit));
            }
        }
    }

    /** An application as those see it who make rates. */
    private record Member(Application application) implements RateMember {
        @Override
        public String tenantName() {
            return application.tenant.group().name();
        }

        @Override
        public int groupNumber() {
            return application.tenant.group().index();
        }

        @Override
        public TenantUtility utility() {
            return TenantUtility.DEFAULT;
        }

        @Override
        public long sent() {
            return application.tenant.group().statistics().messages();
        }

        @Override
        public long held() {
            return application.shared.stream().mapToLong(DrumAgent.Shared::held).sum();
        }

        @Override
        public long backloggedNanos() {
            return application.tenant.group().statistics().backloggedNanos();
        }

        @Override
        public long delivered() {
            return 0;
        }

        @Override
        public long heldDeliveries() {
            return 0;
        }

        @Override
        public void requestRate(long perSecond) {
            application.limit(perSecond);
        }

        @Override
        public void completionRate(long perSecond) {
            throw new IllegalStateException("deliveries have no rate");
        }
    }

    /** An agent that has its turns when it wants them. */
    record Turns(RateAgent agent, Simulation simulation) implements Actor {
        @Override
        public int step() {
            return agent.doWork(simulation.nowNanos());
        }

        @Override
        public long nextDeadlineNanos() {
            return agent.nextDeadline();
        }
    }
}
