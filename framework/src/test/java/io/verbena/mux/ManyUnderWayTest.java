package io.verbena.mux;

import static io.verbena.mux.SimChannels.DEPTH;
import static io.verbena.mux.SimChannels.MS;
import static io.verbena.mux.SimChannels.SEGMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.mux.SimChannels.Sender;
import io.verbena.nic.sim.LinkProfile;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What many channels may have under way together, over a path with a long delay. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ManyUnderWayTest {
    private static final int CHANNELS = 500;
    private static final long DELAY = 50 * MS;

    /** Each has its own window, as with a queue pair of its own: none waits for answers to the others. */
    @Test
    void sharingIsNoWindow() {
        LinkProfile profile = new LinkProfile().rate(100_000_000_000L).delay(DELAY);
        SimChannels rig = new SimChannels(1, profile, SEGMENT, 64 << 20, 16 << 20);
        for (int i = 0; i < CHANNELS; i++) {
            Sender sender = rig.sender(1);
            for (int j = 0; j < DEPTH; j++) {
                assertThat(sender.post(8)).isTrue();
            }
        }
        rig.simulation.runFor(DELAY + 5 * MS);
        rig.take(CHANNELS * DEPTH);
        assertThat(rig.order).as("received before the first answer came").hasSize(CHANNELS * DEPTH);
        rig.finish();
    }
}
