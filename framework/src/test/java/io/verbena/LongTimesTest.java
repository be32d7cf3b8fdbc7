package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Times that no long holds the nanoseconds of are taken for as long as may be, wherever one is given. */
@Timeout(180)
class LongTimesTest {
    private static final Duration EVER = ChronoUnit.FOREVER.getDuration();

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);

    private static NodeContext patient() {
        return new NodeContext()
                .mode(NodeMode.INVOKER)
                .spin(EVER)
                .acknowledgement(EVER, 7)
                .linger(EVER)
                .channelIdle(EVER)
                .peerTimeout(EVER)
                .callbackBound(EVER);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void everyWaitMayBeForEver(Fabric fabric) {
        NodeContext server = patient().sharedMemory(fabric == Fabric.SHM);
        NodeContext client = patient().sharedMemory(fabric == Fabric.SHM);
        try (NodePair pair = new NodePair(fabric, server, client)) {
            Inbox inbox = pair.client.openInbox(
                    "in",
                    new InboxOptions().holeTimeout(EVER).unfinishedTimeout(EVER).surplus(EVER));
            pair.server.share("table", 64);
            pair.server.openResponder("echo").onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));

            RemoteRegion table = pair.client.attach(pair.address + "table", EVER);
            assertThat(table.fetchAndAdd(0, 1, EVER)).isZero();

            Requester requester = pair.client.openRequester();
            Channel echo = requester.connect(
                    pair.address + "echo", new ChannelOptions().reconnect(EVER, EVER, channel -> {}), EVER);
            Outcome[] outcome = new Outcome[1];
            assertThat(requester.call(echo, buffer, 0, 8, EVER, 0, r -> outcome[0] = r.outcome()))
                    .isEqualTo(SendResult.SENT);
            pair.client.wake();
            requester.await(EVER); // for what came, or for having been woken
            pair.await(() -> requester.poll(1) > 0);
            assertThat(outcome).containsExactly(Outcome.DONE);

            Channel self = pair.client.connect("local:" + pair.client.name() + "/in", EVER);
            assertThat(self.send("text", EVER)).isEqualTo(SendResult.SENT);
            pair.client.wake();
            inbox.await(EVER);
            pair.await(() -> inbox.poll(m -> {}, 1) > 0);
            pair.client.wake();
            pair.client.await(EVER);
        }
    }
}
