package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.netty.SocketTransport;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kernel's own word on what a queue takes, and gives back. */
@Timeout(180)
class ResidentSetTest {
    private static final int MIB = 1 << 20;
    private static final int MESSAGE = 128 << 10;
    private static final int MESSAGES = 48 * 8 - 16; // what 46 chunks hold
    private static final int CHUNKS = 46;

    @Test
    void readsWhatTheKernelSays() {
        ResidentSet read = ResidentSet.parse(List.of(
                "Name:\tjava", "VmRSS:\t  1234 kB", "RssAnon:\t 1000 kB", "RssFile: 200 kB", "RssShmem:\t34 kB"));
        assertThat(read).isEqualTo(new ResidentSet(1234 * 1024, 1000 * 1024, 34 * 1024));
        assertThatThrownBy(() -> ResidentSet.parse(List.of("Name: java")))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("VmRSS");
        assertThatThrownBy(() -> ResidentSet.of(Integer.MAX_VALUE)).isInstanceOf(RunException.class);
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "there is no /proc here");
        assertThat(ResidentSet.ofSelf().total())
                .isGreaterThan(ResidentSet.ofSelf().anonymous());
    }

    /**
     * The owner of a queue and its sender on shared memory, each with mappings of its own: a backlog of 46 MiB is
     * resident in both. Drained, it is gone from both, and nobody asks the garbage collector.
     */
    @Test
    void aDrainedBacklogLeavesTheOwnersAndTheSendersMemory() throws Exception {
        assumeTrue(
                SocketTransport.EPOLL.isAvailable() && Files.isDirectory(Path.of("/dev/shm")), "no shared memory here");
        assumeTrue(Files.getFileStore(Path.of("/dev/shm")).getUsableSpace() > 80L * MIB, "/dev/shm is too small");
        try (FabricNode owner = FabricNode.open(FabricKind.SHM, EngineMode.ASSISTED);
                FabricNode sender = FabricNode.open(FabricKind.SHM, EngineMode.ASSISTED)) {
            ProtectionDomain domain = owner.nic().allocateProtectionDomain();
            AppendQueue queue = domain.createAppendQueue(new AppendQueueAttributes().surplusNanos(200_000_000));
            ProtectionDomain from = sender.nic().allocateProtectionDomain();
            MemoryRegion region = from.allocate(MESSAGE, Access.LOCAL_WRITE);
            CompletionQueue done = sender.nic().createCompletionQueue(64);
            QueuePair qp = connect(owner, domain, sender, from, done);
            SendRequest request = new SendRequest();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);

            send(sender, qp, done, request, queue, region, deadline);
            assertThat(queue.poll((b, offset, length, number, immediate, flags) -> {}, 10))
                    .isEqualTo(1);
            long base = ResidentSet.ofSelf().shared();
            for (int i = 0; i < MESSAGES; i++) {
                send(sender, qp, done, request, queue, region, deadline);
            }
            long full = ResidentSet.ofSelf().shared();
            assertThat(queue.query().footprint()).isGreaterThanOrEqualTo((long) CHUNKS * MIB);
            assertThat(full - base).as("mapped twice").isGreaterThan(2L * (CHUNKS - 4) * MIB);

            int taken = 0;
            while (taken < MESSAGES) {
                taken += queue.poll((b, offset, length, number, immediate, flags) -> {}, 64);
                owner.drive();
            }
            long least = Long.MAX_VALUE;
            while (least > base + 4L * MIB && System.nanoTime() < deadline) {
                owner.drive();
                sender.drive();
                Thread.sleep(20);
                least = Math.min(least, ResidentSet.ofSelf().shared());
            }
            assertThat(queue.query().footprint()).isLessThanOrEqualTo(4L * MIB);
            assertThat(least).as("of %s, %s before", full, base).isLessThanOrEqualTo(base + 4L * MIB);
            send(sender, qp, done, request, queue, region, deadline); // and it goes on
            assertThat(queue.poll((b, offset, length, number, immediate, flags) -> {}, 10))
                    .isEqualTo(1);
        }
    }

    private static QueuePair connect(
            FabricNode owner, ProtectionDomain domain, FabricNode sender, ProtectionDomain from, CompletionQueue done) {
        InetAddress here = InetAddress.getLoopbackAddress();
        sender.connect(here, owner.listen(here), TimeUnit.SECONDS.toNanos(10));
        sender.awaitLink(owner.nic().id(), owner::drive);
        owner.awaitLink(sender.nic().id(), sender::drive);
        QueuePair qp = from.createQueuePair(new QueuePairAttributes().completionQueue(done));
        QueuePair peer = domain.createQueuePair(
                new QueuePairAttributes().completionQueue(owner.nic().createCompletionQueue(64)));
        peer.connect(sender.nic().id(), qp.number());
        qp.connect(owner.nic().id(), peer.number());
        return qp;
    }

    private static void send(
            FabricNode sender,
            QueuePair qp,
            CompletionQueue done,
            SendRequest request,
            AppendQueue queue,
            MemoryRegion region,
            long deadline) {
        PostResult posted = qp.postSend(request.append(queue.id(), queue.key()).local(region.key(), 0, MESSAGE));
        assertThat(posted).isEqualTo(PostResult.POSTED);
        Completion[] completions = Completion.array(1);
        while (done.poll(completions) == 0) {
            sender.drive();
            assertThat(System.nanoTime()).as("%s", queue.query()).isLessThan(deadline);
        }
        assertThat(completions[0].isSuccess()).as("%s", completions[0].status()).isTrue();
    }
}
