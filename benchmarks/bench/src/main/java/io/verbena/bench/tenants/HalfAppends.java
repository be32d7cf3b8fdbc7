package io.verbena.bench.tenants;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.verification.fabric.FabricNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Peers that begin a large append to the victim's queue and stop: the first after one turn of its engine, the next
 * after two and so on; after many, all of it has gone through. A few stand like this at a time; then the oldest leaves.
 */
final class HalfAppends implements Attack {
    private static final int STEPS = 64;
    private static final int AT_A_TIME = 8;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final AttackedNic target;
    private final OpenQueue victim;
    private final Deque<Half> halves = new ArrayDeque<>();
    private int step;

    /** A peer that has stopped, and the other end of its queue pair. */
    private record Half(FabricNode node, QueuePair other) {}

    HalfAppends(AttackedNic target, OpenQueue victim) {
        this.target = target;
        this.victim = victim;
    }

    @Override
    public int turn() {
        halves.add(half(1 + step++ % STEPS));
        if (halves.size() > AT_A_TIME) {
            leave(halves.remove());
        }
        LockSupport.parkNanos(PAUSE_NANOS);
        return 1;
    }

    private Half half(int turns) {
        FabricNode node = target.peer();
        ProtectionDomain domain = node.nic().allocateProtectionDomain();
        CompletionQueue completions = node.nic().createCompletionQueue(1);
        MemoryRegion region = domain.allocate(TenantSink.MAX_APPEND, Access.ALL);
        QueuePair queuePair = domain.createQueuePair(
                new QueuePairAttributes().completionQueue(completions).maxSend(1));
        QueuePair other = victim.accept(node.nic().id(), queuePair.number());
        queuePair.connect(target.nicId(), other.number());
        SendRequest request = new SendRequest();
        victim.appendTo(request).local(region.key(), 0, TenantSink.MAX_APPEND);
        queuePair.postSend(request);
        for (int i = 0; i < turns; i++) {
            node.drive();
        }
        return new Half(node, other);
    }

    private static void leave(Half half) {
        half.node.close();
        half.other.close();
    }

    @Override
    public void close() {
        halves.forEach(HalfAppends::leave);
    }
}
