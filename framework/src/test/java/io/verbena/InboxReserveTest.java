package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Inboxes that share one reserve of their node: idle ones hold nothing, and all get what is sent to them. */
@Timeout(180)
class InboxReserveTest {
    private static final int INBOXES = 32;
    private static final int MESSAGES = 200;
    private static final int LENGTH =
            4096; // the messages of an inbox fill most of a chunk, those of all several reserves

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void overPackets(NodeMode mode) {
        everyInboxGetsItsMessages(Fabric.TCP, mode);
    }

    @ParameterizedTest
    @CsvSource({"LOCAL, ASSISTED", "LOCAL, THREAD", "LOCAL, INVOKER", "SHM, ASSISTED", "SHM, THREAD", "SHM, INVOKER"})
    void fromPeersThatAppendDirectly(Fabric fabric, NodeMode mode) {
        everyInboxGetsItsMessages(fabric, mode);
    }

    private static void everyInboxGetsItsMessages(Fabric fabric, NodeMode mode) {
        NodeContext server = fabric.context(mode).sharedReserve(8 << 20);
        try (NodePair nodes = new NodePair(fabric, server, fabric.context(mode))) {
            List<Inbox> inboxes = new ArrayList<>();
            List<AtomicInteger> counts = new ArrayList<>();
            AtomicInteger wrong = new AtomicInteger();
            for (int i = 0; i < INBOXES; i++) {
                int which = i;
                AtomicInteger count = new AtomicInteger();
                Inbox inbox = nodes.server.openInbox("in" + i);
                inbox.onMessage(m -> {
                    int at = m.offset();
                    boolean right = m.length() == LENGTH
                            && m.buffer().getInt(at) == which
                            && m.buffer().getInt(at + LENGTH - Integer.BYTES) == count.get();
                    wrong.addAndGet(right ? 0 : 1);
                    count.incrementAndGet();
                });
                inboxes.add(inbox);
                counts.add(count);
            }
            assertThat(inboxes).extracting(Inbox::footprint).as("idle").containsOnly(0L);

            UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < INBOXES; i++) {
                channels.add(nodes.client.connect(nodes.address + "in" + i, NodePair.TIMEOUT));
            }
            for (int n = 0; n < MESSAGES; n++) {
                for (int i = 0; i < INBOXES; i++) {
                    message.putInt(0, i);
                    message.putInt(LENGTH - Integer.BYTES, n);
                    Channel channel = channels.get(i);
                    nodes.await(() -> channel.offer(message, 0, LENGTH) == SendResult.SENT);
                }
            }
            nodes.await(() -> counts.stream().allMatch(c -> c.get() == MESSAGES));
            assertThat(wrong).as("wrong messages").hasValue(0);
        }
    }
}
