package io.verbena.bench.suite;

import io.verbena.bench.path.WaitLimit;
import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimWaiter;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Two NICs with a connected queue pair, both driven by the calling thread, and one operation of each verb at a time. It
 * allocates nothing itself once it runs, so that what is measured is the NIC's.
 */
public final class VerbPair implements AutoCloseable {
    /** What lies between the two. */
    public enum Medium {
        /** The memory of this process, reached directly. */
        LOCAL_DIRECT,
        /** The memory of this process, through packets in its rings. */
        LOCAL_PACKETS,
        /** Files that both map, reached directly. */
        SHM,
        /** A Unix-domain socket. */
        UDS,
        /** TCP on the loopback interface. */
        TCP,
        /** A virtual link of 100 Gb/s. */
        SIMULATED
    }

    /** What an operation does. */
    public enum Verb {
        /** A SEND, and the receive request that it consumes. */
        SEND,
        /** A WRITE. */
        WRITE,
        /** A WRITE with immediate, and the receive request that it consumes. */
        WRITE_IMMEDIATE,
        /** A READ. */
        READ,
        /** A fetch-and-add. */
        FETCH_ADD,
        /** A compare-and-swap. */
        COMPARE_SWAP,
        /** An APPEND, and the poll of the queue. */
        APPEND
    }

    private static final int SLOTS = 64;

    private final Side near;
    private final Side far;
    private final @Nullable Simulation simulation;
    private final int length;
    private final SendRequest request = new SendRequest();
    private int sent;
    private int received;
    private int posted;

    /**
     * Opens both NICs and connects them.
     *
     * @param medium between them
     * @param length bytes of a message; atomics take 8
     */
    public VerbPair(Medium medium, int length) {
        this.length = length;
        simulation = medium == Medium.SIMULATED ? new Simulation(1) : null;
        FabricKind kind = switch (medium) {
            case SHM -> FabricKind.SHM;
            case UDS -> FabricKind.UDS;
            case TCP -> FabricKind.TCP;
            default -> null;
        };
        near = new Side(kind, simulation);
        far = new Side(kind, simulation);
        link(medium);
        near.connect(far);
        far.connect(near);
        WaitLimit deadline = WaitLimit.ofSeconds(10, "link");
        while (!near.isUp(far) || !far.isUp(near)) {
            drive();
            deadline.run();
        }
    }

    private void link(Medium medium) {
        FabricNode nearNode = near.node;
        FabricNode farNode = far.node;
        if (simulation != null) {
            simulation.add("near", near);
            simulation.add("far", far);
            new SimFabric(simulation)
                    .connect(near.nic.engine(0).endpoint(), far.nic.engine(0).endpoint(), new LinkProfile());
        } else if (nearNode != null && farNode != null) {
            InetAddress loopback = InetAddress.getLoopbackAddress();
            nearNode.connect(loopback, farNode.listen(loopback), 10_000_000_000L);
        } else {
            boolean direct = medium == Medium.LOCAL_DIRECT;
            LocalFabric.connect(near.endpoint(direct), far.endpoint(direct));
        }
    }

    /** Does one operation, from its post until both sides have seen its end. */
    public void operate(Verb verb) {
        int at = (posted & SLOTS - 1) * length;
        boolean receives = false;
        switch (verb) {
            case SEND -> {
                receives = true;
                request.send();
            }
            case WRITE -> request.write(far.region.key(), at);
            case WRITE_IMMEDIATE -> {
                receives = true;
                request.writeImmediate(far.region.key(), at, posted);
            }
            case READ -> request.read(far.region.key(), at);
            case FETCH_ADD -> request.fetchAdd(far.region.key(), 0, 1);
            case COMPARE_SWAP -> request.compareSwap(far.region.key(), 8, posted, posted + 1);
            default -> request.append(far.inbox.id(), far.inbox.key());
        }
        boolean atomic = verb == Verb.FETCH_ADD || verb == Verb.COMPARE_SWAP;
        request.local(near.region.key(), at, atomic ? 8 : length).wrId(posted);
        if (receives && far.qp.postReceive(posted, far.region.key(), at, length) != PostResult.POSTED) {
            throw new RunException("the receive queue is full");
        }
        if (near.qp.postSend(request) != PostResult.POSTED) {
            throw new RunException("the send queue is full");
        }
        posted++;
        int arrivals = received + (receives || verb == Verb.APPEND ? 1 : 0);
        int turns = 0;
        while (sent < posted || received < arrivals) {
            drive();
            if (++turns > 10_000_000) {
                throw new RunException(verb + " " + posted + " does not end");
            }
        }
    }

    private void drive() {
        Simulation virtual = simulation;
        if (virtual != null) {
            virtual.runFor(1000);
        } else {
            near.step();
            far.step();
        }
    }

    /** Operations done. */
    public int operations() {
        return sent;
    }

    @Override
    public void close() {
        near.close();
        far.close();
    }

    /** One of the two. */
    private final class Side implements Actor, AutoCloseable {
        final @Nullable FabricNode node;
        final Nic nic;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion region;
        final QueuePair qp;
        final AppendQueue inbox;
        private final CompletionHandler handler = this::onCompletion;
        private final AppendHandler messages = (buffer, offset, bytes, number, immediate, flags) -> received++;

        Side(@Nullable FabricKind kind, @Nullable Simulation virtual) {
            if (kind != null) {
                FabricNode opened = FabricNode.open(kind, EngineMode.INVOKER);
                node = opened;
                nic = opened.nic();
            } else {
                node = null;
                NicContext context = new NicContext().mode(EngineMode.INVOKER);
                nic = Nic.open(
                        virtual == null
                                ? context
                                : context.clock(virtual.clock())
                                        .backgroundThread(false)
                                        .waiters(new SimWaiter()));
            }
            domain = nic.allocateProtectionDomain();
            completions = nic.createCompletionQueue(256);
            region = domain.allocate(Math.max(SLOTS * length, 4096), Access.ALL);
            qp = domain.createQueuePair(new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(SLOTS)
                    .maxReceive(SLOTS));
            inbox = domain.createAppendQueue(new AppendQueueAttributes());
        }

        LinkEndpoint endpoint(boolean direct) {
            LinkEndpoint own = nic.engine(0).endpoint();
            LinkListener listener = new LinkListener() {
                @Override
                public void onLink(Link link) {
                    nic.engine(0).listener().onLink(direct ? link : new PacketsOnly(link));
                }

                @Override
                public void onRejected(String remote, String reason) {
                    throw new RunException(remote + ": " + reason);
                }
            };
            return new LinkEndpoint(own.nicId(), own.engine(), own.waiter(), own.memory(), listener);
        }

        void connect(Side peer) {
            qp.connect(peer.nic.id(), peer.qp.number());
        }

        boolean isUp(Side peer) {
            boolean[] up = new boolean[1];
            nic.engine(0).call(() -> up[0] = nic.engine(0).path(peer.nic.id()).isUp());
            return up[0];
        }

        private void onCompletion(Completion completion) {
            if (!completion.isSuccess()) {
                throw new RunException("a request ended in " + completion.status());
            }
            if (this == near) {
                sent++;
            } else {
                received++;
            }
        }

        @Override
        public int step() {
            return nic.engine(0).doWork()
                    + completions.poll(handler, 64)
                    + inbox.poll(messages, 64)
                    + (simulation != null ? nic.backgroundWork() : 0);
        }

        @Override
        public long nextDeadlineNanos() {
            return nic.engine(0).nextDeadlineNanos();
        }

        @Override
        public void close() {
            FabricNode opened = node;
            if (opened != null) {
                opened.close();
            } else {
                nic.close();
            }
        }
    }
}
