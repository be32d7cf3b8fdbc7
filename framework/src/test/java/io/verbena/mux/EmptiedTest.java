package io.verbena.mux;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.mux.SimChannels.Sender;
import io.verbena.nic.sim.LinkProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues that were emptied: each turn looks at them, and their posters need not list them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EmptiedTest {
    private final SimChannels rig =
            new SimChannels(1, new LinkProfile().rate(10_000_000_000L), SimChannels.SEGMENT, 8 * SimChannels.MAX);

    @Test
    void whatIsPostedToOneThatIsListedStillLeaves() {
        Sender one = rig.sender(1);
        for (int i = 0; i < 20; i++) {
            assertThat(one.post(100)).isTrue();
            rig.finish();
            assertThat(one.path.list()).as("message %s: it was not listed", i).isFalse();
        }
    }

    @Test
    void oneThatMadeWayForOthersIsListedAgain() {
        Sender one = rig.sender(1);
        assertThat(one.post(100)).isTrue();
        rig.finish();
        List<Sender> others = new ArrayList<>();
        for (int i = 0; i < Emptied.MOST; i++) {
            others.add(rig.sender(1));
            assertThat(others.get(i).post(100)).isTrue();
            rig.finish();
        }
        assertThat(one.path.list()).isTrue();
        one.path.unlist();
        assertThat(others).noneMatch(other -> other.path.list());
        for (int round = 0; round < 5; round++) {
            assertThat(one.post(100)).isTrue();
            others.forEach(other -> assertThat(other.post(100)).isTrue());
            rig.finish();
        }
    }

    @Test
    void aChannelThatIsGoneMakesWay() {
        Sender first = rig.sender(1);
        assertThat(first.post(100)).isTrue();
        rig.finish();
        Sender gone = rig.sender(1);
        assertThat(gone.post(100)).isTrue();
        rig.finish();
        gone.path.close();
        assertThat(gone.path.isReleased()).isTrue();
        for (int i = 1; i < Emptied.MOST; i++) {
            assertThat(rig.sender(1).post(100)).isTrue();
            rig.finish();
        }
        assertThat(first.path.list()).as("there was room for it").isFalse();
    }
}
