package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.WcStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tenants whose messages go through a full ring: what each gets of it, and that what needs no room there does not wait.
 */
@Timeout(180)
class RingShareTest {
    private static final int LARGE = 64 << 10;
    private static final int SMALL = 64;
    private static final int TURNS = 1200;

    private final Nic near = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final Nic far = Nic.open(new NicContext().mode(EngineMode.INVOKER));

    RingShareTest() {
        LocalFabric.connect(near.engine(0).endpoint(), far.engine(0).endpoint());
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    /** A tenant that always has messages of one size to send. */
    private final class Tenant {
        final PerformanceGroup group;
        final CompletionQueue sent;
        final CompletionQueue received;
        final MemoryRegion source;
        final MemoryRegion target;
        final QueuePair qp;
        final QueuePair peer;
        final SendRequest request = new SendRequest();
        final int size;

        Tenant(String name, int weight, int size, int depth) {
            this.size = size;
            group = near.createGroup(new GroupAttributes().name(name).weight(weight));
            ProtectionDomain here = near.allocateProtectionDomain(group);
            ProtectionDomain there = far.allocateProtectionDomain();
            sent = near.createCompletionQueue(2 * depth);
            received = far.createCompletionQueue(2 * depth);
            source = here.allocate(size, Access.ALL);
            target = there.allocate(size, Access.ALL);
            QueuePairAttributes attributes = new QueuePairAttributes()
                    .maxSend(depth)
                    .maxReceive(depth)
                    .maxSge(1)
                    .maxInline(0);
            qp = here.createQueuePair(attributes.completionQueue(sent));
            peer = there.createQueuePair(attributes.completionQueue(received));
            qp.connect(far.id(), peer.number());
            peer.connect(near.id(), qp.number());
            for (int i = 0; i < depth; i++) {
                receive();
            }
        }

        private void receive() {
            assertThat(peer.postReceive(0, target.key(), 0, size)).isEqualTo(PostResult.POSTED);
        }

        private void onSent(Completion completion) {
            assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        }

        /** Takes what has come and posts what there is room for. */
        void pump() {
            while (received.poll(completion -> receive(), 64) > 0) {
                continue;
            }
            while (sent.poll(this::onSent, 64) > 0) {
                continue;
            }
            int room = qp.maxSend() - qp.outstanding();
            for (int i = 0; i < room; i++) {
                request.send().local(source.key(), 0, size).signaled(i == room - 1);
                assertThat(qp.post(request)).isEqualTo(PostResult.POSTED);
            }
            qp.doorbell();
        }

        long charged() {
            return group.statistics().charged();
        }
    }

    private double share(Tenant of, Tenant other) {
        long mine = 0;
        long theirs = 0;
        for (int i = -TURNS / 10; i < TURNS; i++) {
            if (i == 0) {
                mine = of.charged();
                theirs = other.charged();
            }
            of.pump();
            other.pump();
            near.engine(0).doWork();
            far.engine(0).doWork();
        }
        mine = of.charged() - mine;
        return mine / (double) (mine + other.charged() - theirs);
    }

    @Test
    void smallMessagesHoldTheirShareBesideLarge() {
        assertThat(share(new Tenant("small", 1, SMALL, 16384), new Tenant("large", 3, LARGE, 128)))
                .isCloseTo(0.25, within(0.005));
    }

    @Test
    void largeMessagesHoldTheirShareBesideSmall() {
        assertThat(share(new Tenant("large", 1, LARGE, 128), new Tenant("small", 3, SMALL, 16384)))
                .isCloseTo(0.25, within(0.005));
    }

    @Test
    void whatIsWrittenToMemoryDoesNotWaitForTheRing() {
        Tenant flood = new Tenant("flood", 1, LARGE, 512);
        Tenant writer = new Tenant("writer", 1, SMALL, 16);
        for (int i = 0; i < 100; i++) {
            flood.pump(); // and the far side takes nothing
            near.engine(0).doWork();
        }
        assertThat(flood.qp.outstanding()).isEqualTo(512);
        for (int i = 0; i < 100; i++) {
            writer.request.write(writer.target.key(), 0).local(writer.source.key(), 0, SMALL);
            writer.qp.post(writer.request.signaled(true));
            writer.qp.doorbell();
            near.engine(0).doWork();
            assertThat(writer.sent.poll(writer::onSent, 1)).isEqualTo(1);
        }
    }

    @Test
    void whoHasWaitedForTheRingWritesToMemoryAgain() {
        Tenant flood = new Tenant("flood", 1, LARGE, 512);
        Tenant mixed = new Tenant("mixed", 1, LARGE, 128);
        for (int i = 0; i < 100; i++) {
            flood.pump();
            mixed.pump(); // stands behind the ring
            near.engine(0).doWork();
        }
        assertThat(mixed.qp.outstanding()).isEqualTo(128);
        for (int i = 0; i < 10_000 && mixed.qp.outstanding() > 0; i++) {
            near.engine(0).doWork();
            far.engine(0).doWork();
            mixed.sent.poll(mixed::onSent, 64);
        }
        assertThat(mixed.qp.outstanding()).isZero();
        for (int i = 0; i < 3; i++) {
            mixed.request.write(mixed.target.key(), 0).local(mixed.source.key(), 0, LARGE);
            mixed.qp.post(mixed.request.signaled(true));
            mixed.qp.doorbell();
            near.engine(0).doWork();
            assertThat(mixed.sent.poll(mixed::onSent, 1)).isEqualTo(1);
            for (int turn = 0; turn < 100; turn++) {
                flood.pump(); // the ring is full once more
                near.engine(0).doWork();
            }
        }
    }

    @Test
    void whoHasSentPacketsWritesToMemoryBesideAFullRing() {
        Tenant flood = new Tenant("flood", 1, LARGE, 512);
        Tenant mixed = new Tenant("mixed", 1, SMALL, 16);
        for (int i = 0; i < 100; i++) {
            flood.pump();
            near.engine(0).doWork();
        }
        mixed.request.send().local(mixed.source.key(), 0, SMALL).signaled(true);
        mixed.qp.post(mixed.request);
        mixed.qp.doorbell();
        near.engine(0).doWork(); // finds no room
        for (int i = 0; i < 10_000 && mixed.qp.outstanding() > 0; i++) {
            far.engine(0).doWork();
            near.engine(0).doWork();
            mixed.sent.poll(mixed::onSent, 1);
        }
        assertThat(mixed.qp.outstanding()).isZero();
        for (int i = 0; i < 100; i++) {
            flood.pump(); // full once more
            near.engine(0).doWork();
        }
        mixed.request.write(mixed.target.key(), 0).local(mixed.source.key(), 0, SMALL);
        mixed.qp.post(mixed.request.signaled(true));
        mixed.qp.doorbell();
        near.engine(0).doWork();
        assertThat(mixed.sent.poll(mixed::onSent, 1)).isEqualTo(1);
    }
}
