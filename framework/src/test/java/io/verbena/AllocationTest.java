package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls and operations allocate nothing once they have been running; the odd byte is the JVM's own. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 20_000;
    private static final Duration DAY = Duration.ofDays(1);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[500]);
    private int ended;

    private long allocated() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private void assertAllocatesNothing(Runnable operation) {
        for (int i = 0; i < WARM_UP; i++) {
            operation.run();
        }
        long before = allocated();
        for (int i = 0; i < MEASURED; i++) {
            operation.run();
        }
        assertThat(allocated() - before)
                .as("bytes for " + MEASURED + " operations")
                .isLessThan(MEASURED);
        assertThat(ended).isEqualTo(WARM_UP + MEASURED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "SHM"})
    void calls(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Responder responder = pair.server.openResponder("echo");
            RequestHandler echo = r -> r.reply(r.buffer(), r.offset(), r.length());
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            ResponseHandler count = response -> ended++;
            assertAllocatesNothing(() -> {
                while (requester.call(channel, message, 0, 500, DAY, 0, count) != SendResult.SENT) {
                    Thread.onSpinWait();
                }
                int before = ended;
                while (ended == before) {
                    responder.poll(echo, 1);
                    requester.poll(1);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "SHM"})
    void operations(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.share("table", 4096);
            RemoteRegion table = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            OperationHandler count = (id, outcome, value) -> ended++;
            assertAllocatesNothing(() -> {
                int before = ended;
                while (table.read(0, message, 0, 500, 0, count) != SendResult.SENT) {
                    table.poll(1);
                }
                while (ended == before) {
                    table.poll(1);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "SHM"})
    void operationsThatMerge(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.share("table", 4096);
            RegionOptions options = new RegionOptions().merge(Merging.HYBRID).window(500);
            RemoteRegion table = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            OperationHandler count = (id, outcome, value) -> ended++;
            OperationHandler nobody = (id, outcome, value) -> {};
            assertAllocatesNothing(() -> {
                int before = ended;
                for (int i = 0; i < 4; i++) { // those after the first wait
                    while (table.write(i * 500L, message, 0, 500, 0, nobody) != SendResult.SENT) {
                        table.poll(1);
                    }
                }
                while (table.read(0, message, 0, 500, 0, count) != SendResult.SENT) {
                    table.poll(1);
                }
                while (ended == before) {
                    table.poll(5);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "SHM"})
    void messagesThatAreHeldAndSeveralConsumers(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in");
            InboxConsumer[] consumers = {inbox.consumer(), inbox.consumer()};
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            HeldMessage[] last = new HeldMessage[2];
            MessageHandler keep = m -> {
                HeldMessage held = m.hold();
                if (held == null || held.length() != 500) {
                    throw new AssertionError("held " + (held == null ? -1 : held.length()));
                }
                HeldMessage before = last[ended & 1];
                last[ended & 1] = held;
                if (before != null) {
                    before.release();
                }
                ended++;
            };
            assertAllocatesNothing(() -> {
                int before = ended;
                while (channel.offer(message, 0, 500) != SendResult.SENT) {
                    Thread.onSpinWait();
                }
                while (ended == before) {
                    consumers[0].poll(keep, 1);
                    consumers[1].poll(keep, 1);
                }
            });
        }
    }
}
