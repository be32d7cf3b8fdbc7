package io.verbena.bench.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import io.verbena.verification.fabric.LinkSecurity;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an end leaves to threads that are not its own. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TestEndTest {
    private static final int SIZE = 200_000; // five in a chunk, and padding behind them
    private static final int FIT = 5;

    private static final PerftestSettings SETTINGS = new PerftestSettings(
            TestKind.APPEND_BW,
            FabricKind.LOCAL,
            EngineMode.INVOKER,
            List.of(SIZE),
            1000,
            0,
            1_000_000,
            1,
            16,
            16,
            4,
            1,
            0,
            true,
            TimeUnit.SECONDS.toNanos(10),
            LinkSecurity.NONE);

    /** The engine's thread looks before it sleeps; it is not the consumer, and moves nothing. */
    @Test
    void theEnginesLookTakesNothing() {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (FabricNode near = FabricNode.open(FabricKind.LOCAL, EngineMode.INVOKER);
                FabricNode node = FabricNode.open(FabricKind.LOCAL, EngineMode.INVOKER);
                TestEnd from = new TestEnd(near, SETTINGS, SIZE);
                TestEnd to = new TestEnd(node, SETTINGS, SIZE)) {
            near.connect(here, node.listen(here), TimeUnit.SECONDS.toNanos(10));
            near.awaitLink(node.nic().id(), node::drive);
            node.awaitLink(near.nic().id(), near::drive);
            from.connect(to.description());
            to.connect(from.description());
            SendRequest request = new SendRequest();
            for (int i = 0; i <= FIT; i++) {
                from.queuePair(0).post(from.prepare(request, 0, i, i).signaled(true));
            }
            from.queuePair(0).doorbell();
            while (from.queuePair(0).outstanding() > 0) {
                near.drive();
                node.drive();
            }
            assertThat(from.completions().poll(Traffic::check, FIT + 1)).isEqualTo(FIT + 1);
            AppendQueue inbox = to.inbox();
            assertThat(inbox.poll((buffer, offset, length, qp, immediate, flags) -> {}, FIT))
                    .isEqualTo(FIT);
            while (node.drive() > 0) {
                // Until nothing but the check keeps the engine awake.
            }
            long before = inbox.depth();
            assertThat(before).as("padding and a record").isGreaterThan(SIZE + 1000);

            assertThat(node.engine().hasWork()).isTrue();

            assertThat(inbox.depth()).isEqualTo(before);
        }
    }
}
