package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The mapping that is kept ready for the next large message of a queue in which one has had to wait. */
@Timeout(180)
class LargeSpareTest {
    private static final int LENGTH = 1 << 20;

    private final AppendFixture nic = new AppendFixture();
    private final Appender owner = nic.queues.appender(0);

    private int ask(AppendQueue queue, int length, int qp) {
        return owner.large().claim(queue.id(), queue.key(), queue.pd(), length, qp, 0);
    }

    private long claim(AppendQueue queue, int length, int qp) {
        assertThat(ask(queue, length, qp)).isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(ask(queue, length, qp)).isEqualTo(Appender.OK);
        return owner.large().claimed();
    }

    @Test
    void whoComesWhileOthersAreThereFindsASpare() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1).memoryLimit(2L * CHUNK + 12L * LENGTH));
        long idle = queue.query().footprint();
        long first = claim(queue, LENGTH, 3);
        assertThat(queue.query().footprint()).as("one alone has none").isEqualTo(idle + LENGTH);
        long second = claim(queue, LENGTH, 4); // has to wait
        long rnr = queue.query().rnr();
        for (int qp = 5; qp < 9; qp++) {
            assertThat(ask(queue, LENGTH - qp, qp)).isEqualTo(Appender.OK);
            nic.settle();
        }
        assertThat(queue.query().rnr()).isEqualTo(rnr);
        assertThat(queue.query().footprint()).isEqualTo(idle + 7L * LENGTH);
        owner.large().abort(first);
        owner.large().abort(second);
        nic.rest();
        nic.rest();
        assertThat(queue.query().footprint()).as("the spare is given back").isEqualTo(idle + 4L * LENGTH);
    }

    @Test
    void aSpareLeavesRoomForALongestMessage() {
        AppendQueue queue =
                nic.create(attributes().reserveChunks(1).maxMessage(LENGTH).memoryLimit(2L * CHUNK + 3L * LENGTH));
        claim(queue, LENGTH, 3);
        claim(queue, LENGTH, 4);
        assertThat(queue.query().footprint()).isEqualTo(2L * CHUNK + 2L * LENGTH);
        claim(queue, LENGTH, 5);
        assertThat(queue.query().footprint()).isEqualTo(2L * CHUNK + 3L * LENGTH);
    }
}
