package io.verbena.papers.avatar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the way, each message of each connection arrives once, whole and in order, and its sender hears of it. */
@Tag("computed") // the same on every JDK
@Timeout(180)
class SharingTest {
    private static final int CONNECTIONS = 6;
    private static final int BYTES = 3 * Source.SEGMENT + 100; // the last segment is short
    private static final int DEPTH = 2;
    private static final long REST_NANOS = 20_000; // leaves the others their part of the line

    @ParameterizedTest
    @EnumSource
    void messagesArriveOnce(Way way) {
        AvatarWorld world = new AvatarWorld(1, CONNECTIONS + 1, CONNECTIONS, BYTES, way.isShared());
        Sharing sharing = new Sharing(world, way, 1);
        List<Connection> connections = new ArrayList<>();
        List<MessageLoop> loops = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(sharing.connect(i == 0));
        }
        sharing.start();
        CircleLoop strict = new CircleLoop(world, connections.get(0), BYTES, 1, 1, REST_NANOS);
        world.cores.start("strict", strict);
        for (Connection each : connections.subList(1, CONNECTIONS)) {
            MessageLoop loop = new MessageLoop(List.of(each), BYTES, DEPTH);
            loops.add(loop);
            world.cores.start("sender", loop);
        }
        world.simulation.runFor(1_000_000);
        for (int i = 0; i < CONNECTIONS; i++) {
            long received = world.receiver.messages(i);
            assertThat(received).as("connection %d", i).isGreaterThan(DEPTH);
            assertThat(connections.get(i).finished()).isBetween(received - DEPTH, received);
        }
        assertThat(strict.samples().size())
                .isBetween((int) world.receiver.messages(0) - 1, (int) world.receiver.messages(0));
        for (int i = 1; i < CONNECTIONS; i++) {
            long received = world.receiver.messages(i);
            assertThat(loops.get(i - 1).sent()).isBetween(received, received + DEPTH);
        }
        assertThat(world.receiver.bytes()).isEqualTo(world.receiver.messages() * BYTES);
    }

    @ParameterizedTest
    @EnumSource(names = {"MUX", "ROUND_ROBIN"})
    void aWorkerWithoutWorkSleepsUntilThereIsSome(Way way) {
        AvatarWorld world = new AvatarWorld(1, 2, 1, BYTES, true);
        Sharing sharing = new Sharing(world, way, 1);
        Connection connection = sharing.connect(false);
        sharing.start();
        world.simulation.runFor(2 * Worker.IDLE_NANOS);
        assertThat(world.cores.contextSwitches()).as("nobody else sleeps").isEqualTo(1);
        long busy = world.cores.busyNanos();
        world.simulation.runFor(10 * Worker.IDLE_NANOS);
        assertThat(world.cores.busyNanos()).isEqualTo(busy);
        CircleLoop loop = new CircleLoop(world, connection, BYTES, 1, 1, 0);
        world.cores.start("sender", loop);
        world.simulation.runFor(Worker.IDLE_NANOS);
        assertThat(loop.samples().size()).isPositive();
        assertThat(world.receiver.messages(0))
                .isBetween((long) loop.samples().size(), loop.samples().size() + 1L);
    }
}
