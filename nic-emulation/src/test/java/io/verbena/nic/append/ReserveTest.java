package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendFixture.Collector;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * RIMA's reserve rule: no receiver-not-ready at line rate if the reserve holds what arrives while a chunk is allocated
 * (reserve ≥ rate x latency), and some if it does not.
 */
@Timeout(180)
class ReserveTest {
    private static final int MESSAGE = 1024 - 16;
    private static final int PER_CHUNK = CHUNK / 1024;

    /**
     * Latency in messages that arrive while the allocator has not come yet; nothing is consumed, so all is allocation.
     */
    @ParameterizedTest
    @CsvSource({"1, 1.0, false", "2, 2.0, false", "3, 3.0, false", "1, 1.2, true", "2, 2.2, true", "3, 3.2, true"})
    void reserveCoversTheLatencyOfAllocation(int reserve, double chunksOfLatency, boolean expectRnr) {
        AppendFixture nic = new AppendFixture();
        AppendQueue queue = nic.create(attributes().reserveChunks(reserve));
        Appender peer = nic.peer();
        int latency = (int) (chunksOfLatency * PER_CHUNK);
        int sent = 0;
        int due = Integer.MAX_VALUE;
        long crossed = -1;
        for (int time = 0; time < 6 * PER_CHUNK; time++) {
            if (time >= due) {
                nic.settle();
                due = Integer.MAX_VALUE;
            }
            int before = nic.tailChunk(queue);
            if (append(peer, queue, 1, sent, MESSAGE, 1) == Appender.OK) {
                sent++;
                if (nic.tailChunk(queue) != before && due == Integer.MAX_VALUE) {
                    due = time + latency; // the tail crossed into the reserve: allocation begins
                    crossed = time;
                }
            }
        }
        assertThat(crossed).isPositive();
        assertThat(queue.query().rnr() > 0).isEqualTo(expectRnr);
        Collector collector = new Collector();
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(sent);
    }
}
