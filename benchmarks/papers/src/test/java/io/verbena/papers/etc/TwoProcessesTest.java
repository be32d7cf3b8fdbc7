package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.fabric.netty.SocketTransport;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The owner of a queue in this process and its sender in another: what the kernel says of each. */
@Timeout(180)
class TwoProcessesTest {
    private static final int MIB = 1 << 20;
    private static final int CHUNKS = 46;
    private static final int MESSAGES = 48 * 8 - 16; // what so many chunks hold
    private static final int SECONDS = 60;

    /**
     * A backlog of 46 MiB is resident in both; when it is drained it is gone from both, each of which unmaps its own.
     */
    @Test
    void aDrainedBacklogLeavesTheMemoryOfBothProcesses() throws Exception {
        assumeTrue(
                SocketTransport.EPOLL.isAvailable() && Files.isDirectory(Path.of("/dev/shm")), "no shared memory here");
        assumeTrue(Files.getFileStore(Path.of("/dev/shm")).getUsableSpace() > 80L * MIB, "/dev/shm is too small");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(openedModules());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ResidentSender.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (FabricNode owner = FabricNode.open(FabricKind.SHM, EngineMode.ASSISTED)) {
            Rendezvous sender = Rendezvous.withChild(process);
            ProtectionDomain domain = owner.nic().allocateProtectionDomain();
            AppendQueue queue = domain.createAppendQueue(new AppendQueueAttributes().surplusNanos(200_000_000));
            connect(owner, domain, queue, sender);

            send(sender, owner, 1);
            assertThat(drain(queue, owner, 1)).isEqualTo(1);
            long base = shared(ProcessHandle.current().pid());
            long peersBase = shared(process.pid());
            send(sender, owner, MESSAGES); // nobody takes any
            assertThat(shared(ProcessHandle.current().pid()) - base)
                    .as("the owner's")
                    .isGreaterThan((CHUNKS - 4L) * MIB);
            assertThat(shared(process.pid()) - peersBase).as("the sender's").isGreaterThan((CHUNKS - 4L) * MIB);

            assertThat(drain(queue, owner, MESSAGES)).isEqualTo(MESSAGES);
            awaitBack(owner, ProcessHandle.current().pid(), base);
            awaitBack(owner, process.pid(), peersBase);
            send(sender, owner, 8); // and it goes on
            assertThat(drain(queue, owner, 8)).isEqualTo(8);
            sender.tell(ResidentSender.END);
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void connect(FabricNode owner, ProtectionDomain domain, AppendQueue queue, Rendezvous sender) {
        sender.tell(String.valueOf(owner.nic().id()));
        sender.tell(owner.listen(InetAddress.getLoopbackAddress()));
        String[] peer = sender.hear(owner::drive).split(" ");
        QueuePair qp = domain.createQueuePair(
                new QueuePairAttributes().completionQueue(owner.nic().createCompletionQueue(64)));
        qp.connect(Long.parseLong(peer[0]), Integer.parseInt(peer[1]));
        sender.tell(qp.number() + " " + queue.id() + " " + queue.key());
    }

    private static void send(Rendezvous sender, FabricNode owner, int messages) {
        sender.tell(String.valueOf(messages));
        assertThat(sender.hear(owner::drive)).isEqualTo("sent " + messages);
    }

    private static int drain(AppendQueue queue, FabricNode owner, int messages) {
        WaitLimit deadline = WaitLimit.ofSeconds(SECONDS, "messages");
        int taken = 0;
        while (taken < messages) {
            taken += queue.poll((buffer, offset, length, number, immediate, flags) -> {}, 64);
            owner.drive();
            deadline.run();
        }
        return taken;
    }

    private static void awaitBack(FabricNode owner, long process, long base) {
        await().pollInSameThread()
                .pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(SECONDS))
                .untilAsserted(() -> {
                    owner.drive();
                    assertThat(shared(process)).as("process %d", process).isLessThanOrEqualTo(base + 4L * MIB);
                });
    }

    private static long shared(long process) {
        return ResidentSet.of(process).shared();
    }

    /** What this JVM opens of the JDK's modules, a JVM that it starts needs too. */
    private static List<String> openedModules() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .toList();
    }
}
