package io.verbena.papers.avatar;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Discipline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the way, each message of each connection arrives once, whole and in order, and its sender hears of it. */
@Tag("computed") // the same on every JDK
@Timeout(60)
class SharingTest {
    private static final int CONNECTIONS = 6;
    private static final int BYTES = 3 * Source.SEGMENT + 100; // the last segment is short
    private static final int DEPTH = 2;

    @ParameterizedTest
    @EnumSource
    void messagesArriveOnce(Way way) {
        AvatarWorld world =
                new AvatarWorld(1, Discipline.WHOLE_MESSAGES, CONNECTIONS + 1, CONNECTIONS, BYTES, way.isShared());
        Sharing sharing = new Sharing(world, way, 1);
        List<Connection> connections = new ArrayList<>();
        List<MessageLoop> loops = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(sharing.connect(i % 2 == 0));
        }
        sharing.start();
        for (Connection each : connections) {
            MessageLoop loop = new MessageLoop(List.of(each), BYTES, DEPTH);
            loops.add(loop);
            world.cores.start("sender", loop);
        }
        world.simulation.runFor(2_000_000);
        for (int i = 0; i < CONNECTIONS; i++) {
            long received = world.receiver.messages(i);
            assertThat(received).as("connection %d", i).isGreaterThan(DEPTH);
            assertThat(connections.get(i).finished()).isBetween(received - DEPTH, received);
            assertThat(loops.get(i).sent()).isBetween(received, received + DEPTH);
        }
        assertThat(world.receiver.bytes()).isEqualTo(world.receiver.messages() * BYTES);
    }
}
