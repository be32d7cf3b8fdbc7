package io.verbena.nic.arbiter.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.baseline.Wire.TestFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Long messages have one chunk under way; short ones are as without. */
@Timeout(180)
class SoftwareChunkingTest {
    private static final int CHUNK = SoftwareChunking.CHUNK;
    private static final int PACKET = 1024 + 58;

    private final SoftwareChunking arbiter = new SoftwareChunking(ArbiterSettings.defaults(), 0);
    private final Wire wire = new Wire(arbiter, 1024, 58);
    private final FlowGroup group = new FlowGroup(0, 1, 1);
    private final OutputQueue output = new OutputQueue();

    private void untilNobodyIsServed() {
        for (int i = 0; i < 10_000; i++) {
            if (wire.visit() == null) {
                return;
            }
        }
        throw new AssertionError("no end after " + wire.total + " bytes");
    }

    private void acknowledge(TestFlow flow) {
        flow.underWay = 0;
        arbiter.acknowledged(flow);
    }

    @Test
    void aChunkIsUnderWayAtATime() {
        TestFlow large = wire.flow(group, 1, 1 << 20, output);
        for (int i = 0; i < 20; i++) {
            untilNobodyIsServed();
            assertThat(large.asked)
                    .as("the last packet of chunk %d asks for its answer", i)
                    .isTrue();
            assertThat(large.underWay).isBetween(CHUNK, CHUNK + PACKET);
            arbiter.active(large); // whoever posts on it does not wake it
            assertThat(arbiter.next()).isNull();
            assertThat(arbiter.nextAlone(large)).isFalse();
            acknowledge(large);
        }
    }

    @Test
    void shortMessagesDoNotWait() {
        TestFlow large = wire.flow(group, 1, 1 << 20, output);
        TestFlow small = wire.flow(group, 1, 64, output);
        wire.run(10_000_000);
        assertThat(large.underWay).isBetween(CHUNK, CHUNK + PACKET);
        assertThat(small.messages).isGreaterThan(60_000);
        acknowledge(large);
        long before = large.bytes;
        wire.run(100_000);
        assertThat(large.bytes - before).isBetween((long) CHUNK, (long) CHUNK + PACKET);
    }

    @Test
    void whereNothingIsAcknowledgedNothingIsWaitedFor() {
        TestFlow large = wire.flow(group, 1, 1 << 20, null);
        wire.run(10_000_000);
        assertThat(large.bytes).isGreaterThan(9_999_999);
    }

    @Test
    void answersAreNotChunked() {
        TestFlow reader = wire.attached(group, 1, 1 << 20, output);
        arbiter.active(reader);
        for (int i = 0; i < 100; i++) {
            assertThat(arbiter.next()).isSameAs(reader);
            arbiter.charge(reader, PACKET, 0, 0); // of an answer: nobody has been asked
            arbiter.active(reader);
        }
    }

    @Test
    void aFlowThatStartsAnewWaitsForNothing() {
        TestFlow large = wire.flow(group, 1, 1 << 20, output);
        untilNobodyIsServed();
        arbiter.detach(large);
        arbiter.attach(large, output);
        arbiter.active(large);
        assertThat(wire.visit()).isSameAs(large);
    }
}
