package io.verbena.fabric.examples;

import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.AddressHandle;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.QpType;
import java.util.concurrent.TimeUnit;

/** Two NICs in one process: a reliable connection, a memory window, a datagram. */
public final class TwoNics {
    private static final int QKEY = 0x11;

    public static void main(String[] args) {
        try (Nic a = Nic.open(new NicContext());
                Nic b = Nic.open(new NicContext())) {
            LocalFabric.connect(a.engine(0).endpoint(), b.engine(0).endpoint());
            ProtectionDomain pdA = a.allocateProtectionDomain();
            ProtectionDomain pdB = b.allocateProtectionDomain();
            CompletionQueue cqA = a.createCompletionQueue(64);
            CompletionQueue cqB = b.createCompletionQueue(64);
            MemoryRegion mrA = pdA.allocate(4096, Access.LOCAL_WRITE);
            MemoryRegion mrB = pdB.allocate(4096, Access.LOCAL_WRITE | Access.MW_BIND);

            // A reliable connection; each side needs the other's NIC and queue pair number.
            QueuePair qpA = pdA.createQueuePair(new QueuePairAttributes().completionQueue(cqA));
            QueuePair qpB = pdB.createQueuePair(new QueuePairAttributes().completionQueue(cqB));
            qpA.connect(b.id(), qpB.number());
            qpB.connect(a.id(), qpA.number());

            // B shows A the first 64 bytes of its region, for as long as it likes.
            MemoryWindow window = pdB.allocateWindow(MemoryWindow.Type.TYPE_1);
            qpB.bindWindow(window, mrB, 0, 64, Access.REMOTE_WRITE | Access.REMOTE_ATOMIC, 1);
            print("B", await(cqB));

            SendRequest request = new SendRequest();
            mrA.buffer().putLong(0, 42);
            qpA.postSend(request.write(window.key(), 8).local(mrA.key(), 0, 8).wrId(2));
            print("A", await(cqA));
            qpA.postSend(
                    request.fetchAdd(window.key(), 8, 1).local(mrA.key(), 16, 8).wrId(3));
            print("A", await(cqA));
            System.out.println("B has " + mrB.buffer().getLong(8) + ", A was told "
                    + mrA.buffer().getLong(16));

            // A datagram, and an answer to whoever sent it.
            QueuePair udA = pdA.createQueuePair(
                    new QueuePairAttributes().type(QpType.UD).completionQueue(cqA));
            QueuePair udB = pdB.createQueuePair(
                    new QueuePairAttributes().type(QpType.UD).completionQueue(cqB));
            udA.activate(QKEY);
            udB.activate(QKEY);
            udA.postReceive(4, mrA.key(), 1024, AddressHeader.LENGTH + 8);
            udB.postReceive(5, mrB.key(), 1024, AddressHeader.LENGTH + 8);
            try (AddressHandle toB = pdA.createAddressHandle(b.id())) {
                udA.postSend(request.send()
                        .to(toB, udB.number(), QKEY)
                        .local(mrA.key(), 0, 8)
                        .signaled(false));
                Completion received = await(cqB);
                print("B", received);
                try (AddressHandle back = pdB.createAddressHandle(mrB.buffer(), 1024)) {
                    udB.postSend(request.sendImmediate(7)
                            .to(back, received.peerQp(), QKEY)
                            .signaled(false));
                    print("A", await(cqA));
                }
            }
        }
    }

    private static Completion await(CompletionQueue queue) {
        Completion[] one = Completion.array(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (queue.poll(one) == 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("no completion within 10 s");
            }
            queue.await(TimeUnit.SECONDS.toNanos(1));
        }
        return one[0];
    }

    private static void print(String name, Completion completion) {
        System.out.println(name + ": " + completion);
    }
}
