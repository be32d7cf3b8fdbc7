package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Waiting;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many wake-ups a round trip takes when everybody sleeps in between, counted by those who wake. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WakeUpsTest {
    private static final int WARM = 200;
    private static final int ROUNDS = 1_000;

    private static final class Count {
        final double clientEngine, clientGuest, serverEngine, serverGuest;

        Count(WaitStatistics[] before, WaitStatistics[] after) {
            clientEngine = per(before[0], after[0]);
            clientGuest = per(before[1], after[1]);
            serverEngine = per(before[2], after[2]);
            serverGuest = per(before[3], after[3]);
        }

        private static double per(WaitStatistics before, WaitStatistics after) {
            return (double) after.since(before).wakeUps() / ROUNDS;
        }
    }

    private static WaitStatistics[] now(NodePair pair) {
        return new WaitStatistics[] {
            pair.client.waitStatistics(Waiting.ENGINE), pair.client.waitStatistics(Waiting.GUEST),
            pair.server.waitStatistics(Waiting.ENGINE), pair.server.waitStatistics(Waiting.GUEST)
        };
    }

    private static void roundTrip(Channel channel, Inbox answers) {
        assertThat(channel.send(new UnsafeBuffer(new byte[8]), 0, 8, NodePair.TIMEOUT)).isEqualTo(SendResult.SENT);
        assertThat(answers.await(NodePair.TIMEOUT)).isTrue();
        assertThat(answers.poll(m -> {}, 2)).isEqualTo(1);
    }

    private static void echo(Message m) {
        if (m.channel().offer(m.buffer(), m.offset(), m.length()) != SendResult.SENT) {
            m.again();
        }
    }

    private static Count measure(Fabric fabric, boolean callback) throws InterruptedException {
        NodeContext server = fabric.context(NodeMode.ASSISTED).polling(Polling.hybrid());
        NodeContext client = fabric.context(NodeMode.ASSISTED).polling(Polling.hybrid());
        try (NodePair pair = new NodePair(fabric, server, client)) {
            Inbox in = pair.server.openInbox("echo");
            Thread guest = new Thread(() -> {
                for (int i = 0; i < WARM + ROUNDS; i++) {
                    if (in.await(NodePair.TIMEOUT)) {
                        in.poll(WakeUpsTest::echo, 1);
                    }
                }
            });
            if (callback) {
                in.onMessage(WakeUpsTest::echo);
            } else {
                guest.start();
            }
            Inbox answers = pair.client.openInbox("answers");
            Channel channel = pair.client.connect(pair.address + "echo", answers, NodePair.TIMEOUT);
            for (int i = 0; i < WARM; i++) {
                roundTrip(channel, answers);
            }
            WaitStatistics[] before = now(pair);
            for (int i = 0; i < ROUNDS; i++) {
                roundTrip(channel, answers);
            }
            Count count = new Count(before, now(pair));
            System.out.printf("%s callback %s: client engine %.2f guest %.2f, server engine %.2f guest %.2f%n", fabric, callback, count.clientEngine, count.clientGuest, count.serverEngine, count.serverGuest);
            guest.join();
            return count;
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void ofGuestAndCallback(Fabric fabric) throws InterruptedException {
        measure(fabric, true);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void ofTwoGuests(Fabric fabric) throws InterruptedException {
        measure(fabric, false);
    }
}
