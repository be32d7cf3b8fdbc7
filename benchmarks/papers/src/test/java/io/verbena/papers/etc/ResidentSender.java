package io.verbena.papers.etc;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/** A sender in a process of its own: appends as many messages as it is told to, until it is told to end. */
final class ResidentSender {
    static final int MESSAGE = 128 << 10;
    static final String END = "end";

    private static final int SECONDS = 60;

    private ResidentSender() {}

    /** Hears and tells by the standard streams. */
    public static void main(String[] arguments) {
        Rendezvous owner = Rendezvous.withParent();
        try (FabricNode node = FabricNode.open(FabricKind.SHM, EngineMode.ASSISTED)) {
            long peer = Long.parseLong(owner.hear(node::drive));
            node.connect(InetAddress.getLoopbackAddress(), owner.hear(node::drive), TimeUnit.SECONDS.toNanos(SECONDS));
            node.awaitLink(peer, WaitLimit.ofSeconds(SECONDS, "link"));
            ProtectionDomain domain = node.nic().allocateProtectionDomain();
            MemoryRegion region = domain.allocate(MESSAGE, Access.LOCAL_WRITE);
            CompletionQueue done = node.nic().createCompletionQueue(64);
            QueuePair qp = domain.createQueuePair(new QueuePairAttributes().completionQueue(done));
            owner.tell(node.nic().id() + " " + qp.number());
            String[] target = owner.hear(node::drive).split(" ");
            qp.connect(peer, Integer.parseInt(target[0]));
            SendRequest request = new SendRequest();
            for (String line = next(owner, node); !line.equals(END); line = next(owner, node)) {
                for (int i = Integer.parseInt(line); i > 0; i--) {
                    PostResult posted =
                            qp.postSend(request.append(Integer.parseInt(target[1]), Integer.parseInt(target[2]))
                                    .local(region.key(), 0, MESSAGE));
                    if (posted != PostResult.POSTED) {
                        throw new IllegalStateException("append was not posted: " + posted);
                    }
                    awaitCompletion(node, done);
                }
                owner.tell("sent " + line);
            }
        }
    }

    private static String next(Rendezvous owner, FabricNode node) {
        WaitLimit deadline = WaitLimit.ofSeconds(2 * SECONDS, "word from the owner");
        while (true) {
            String line = owner.heard();
            if (line != null) {
                return line;
            }
            if (owner.isOver()) {
                return END;
            }
            node.drive();
            deadline.run();
        }
    }

    private static void awaitCompletion(FabricNode node, CompletionQueue done) {
        Completion[] completions = Completion.array(1);
        WaitLimit deadline = WaitLimit.ofSeconds(SECONDS, "completion");
        while (done.poll(completions) == 0) {
            node.drive();
            deadline.run();
        }
        if (!completions[0].isSuccess()) {
            throw new IllegalStateException("append ended in " + completions[0].status());
        }
    }
}
