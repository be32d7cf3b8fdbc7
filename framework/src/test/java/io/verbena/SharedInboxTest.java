package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several nodes send to one inbox whose consumer is slower than they are. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SharedInboxTest {
    private static final int LENGTH = 1024;
    private static final int MEMORY = 1 << 20;
    private static final int FLOODERS = 2;
    private static final int MODEST = FLOODERS; // the third node, which has one message under way at a time
    private static final int WANTED = 5;
    private static final long BATCH_EVERY_NANOS = 1_000_000;
    private static final int BATCH = 16;

    private final long[] taken = new long[FLOODERS + 1];

    /** It waits behind what lies there when it comes, which is at most as much as the inbox holds; then it is taken. */
    @ParameterizedTest
    @EnumSource
    void whoSendsLittleGoesOnBesideThoseWhoFillTheInbox(Fabric fabric) {
        List<Node> nodes = new ArrayList<>();
        List<Thread> senders = new ArrayList<>();
        try (Node server = Node.launch(fabric.context(NodeMode.THREAD))) {
            Inbox inbox = server.openInbox(
                    "in",
                    new InboxOptions().chunkLength(64 << 10).maxMessage(LENGTH).memoryLimit(MEMORY));
            String address = fabric.listen(server) + "/in";
            for (int i = 0; i <= FLOODERS; i++) {
                Node node = Node.launch(fabric.context(NodeMode.THREAD));
                nodes.add(node);
                Channel channel = node.connect(address, NodePair.TIMEOUT);
                int number = i;
                Thread sender = new Thread(() -> send(channel, number), "sender-" + i);
                senders.add(sender);
                sender.start();
            }
            long inboxFuls = 60L * WANTED * MEMORY / LENGTH;
            while (taken[MODEST] < WANTED) {
                assertThat(taken[0] + taken[1])
                        .as("of those who flood, beside %d", taken[MODEST])
                        .isLessThan(inboxFuls);
                inbox.poll(m -> taken[m.buffer().getInt(m.offset())]++, BATCH);
                LockSupport.parkNanos(BATCH_EVERY_NANOS);
            }
        } finally {
            senders.forEach(Thread::interrupt);
            nodes.forEach(Node::close);
        }
    }

    private static void send(Channel channel, int number) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        message.putInt(0, number);
        while (!Thread.currentThread().isInterrupted() && channel.isConnected()) {
            if ((number == MODEST && channel.outstanding() > 0)
                    || channel.offer(message, 0, LENGTH) == SendResult.BACK_PRESSURED) {
                Thread.yield();
            }
        }
    }
}
