package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a link that broke has left does not come between what the next one brings. */
@Timeout(60)
class LinkReplacedTest {
    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));

    @AfterEach
    void close() {
        nic.close();
    }

    private PacketLink link(long peerNic) {
        UnsafeBuffer packet = new UnsafeBuffer(new byte[64]);
        BthFlyweight.encode(packet, 0, Opcode.SEND_ONLY.code(), 0, 4711, 0, 9);
        PacketLink link = new PacketLink(peerNic, packet, false);
        nic.engine(0).endpoint().listener().onLink(link);
        return link;
    }

    private void turns() {
        for (int i = 0; i < 5; i++) {
            nic.engine(0).doWork();
        }
    }

    @Test
    void whatABrokenLinkHasLeftIsTakenUntilTheNextIsThere() {
        PacketLink broken = link(100);
        PacketLink other = link(101);
        turns();
        broken.state = Link.State.DOWN;
        long before = broken.delivered();
        turns();
        assertThat(broken.delivered()).isGreaterThan(before);
        PacketLink next = link(100);
        turns();
        long left = broken.delivered();
        turns();
        assertThat(broken.delivered()).isEqualTo(left);
        assertThat(broken.state()).isEqualTo(Link.State.CLOSED);
        assertThat(next.delivered()).isPositive();
        assertThat(next.state()).isEqualTo(Link.State.UP);
        assertThat(other.state()).isEqualTo(Link.State.UP);
    }
}
