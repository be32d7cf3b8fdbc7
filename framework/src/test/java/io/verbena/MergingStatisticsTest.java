package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is told of a tenant's merging regions: by itself, and by the flight recorder. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MergingStatisticsTest {
    private static final String EVENT = "io.verbena.Merging";
    private static final MergingStatistics NOTHING = new MergingStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private int told;
    private int closed;

    private static RegionOptions hybrid() {
        return new RegionOptions().merge(Merging.HYBRID);
    }

    private SendResult write(RemoteRegion region, long offset, int length) {
        return region.write(offset, new UnsafeBuffer(new byte[length]), 0, length, 0, (id, outcome, value) -> {
            told++;
            closed += outcome == Outcome.CLOSED ? 1 : 0;
        });
    }

    /** One fills the window of 48 bytes; six wait, of which three and one are adjacent. */
    private void merge(RemoteRegion region) {
        assertThat(write(region, 2000, 48)).isEqualTo(SendResult.SENT);
        for (int at : new int[] {8, 100, 16, 24, 200, 32}) {
            assertThat(write(region, at, 8)).isEqualTo(SendResult.SENT);
        }
    }

    private static NodePair pair(Fabric fabric) {
        NodeContext client = fabric.context(NodeMode.INVOKER);
        client.tenant(new TenantOptions().name("gold"));
        return new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client);
    }

    /** Of two regions at a time, and of those that were closed. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void countsOfClosedRegionsStay(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            pair.server.share("table", 4096);
            Tenant gold = pair.client.tenant("gold");
            assertThat(gold.merging()).isEqualTo(NOTHING);
            RemoteRegion first = gold.attach(pair.address + "table", hybrid().window(48), NodePair.TIMEOUT);
            RemoteRegion second = gold.attach(pair.address + "table", hybrid().window(40), NodePair.TIMEOUT);
            merge(first);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(7, 1, 1, 0, 0, 6, 0, 48, 48));
            pair.await(() -> first.poll(10) >= 0 && told == 7);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(7, 4, 2, 4, 2, 6, 0, 0, 48));
            assertThat(write(second, 0, 40)).isEqualTo(SendResult.SENT);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(8, 5, 3, 4, 2, 6, 0, 40, 48));
            pair.await(() -> second.poll(10) >= 0 && told == 8);

            first.close();
            awaitWindow(pair, gold, 40);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(8, 5, 3, 4, 2, 6, 0, 0, 40));
            second.close();
            awaitWindow(pair, gold, 0);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(8, 5, 3, 4, 2, 6, 0, 0, 0));
            RemoteRegion third = gold.attach(pair.address + "table", hybrid().window(48), NodePair.TIMEOUT);
            merge(third);
            pair.await(() -> third.poll(10) >= 0 && told == 15);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(15, 9, 5, 8, 4, 12, 0, 0, 48));
            assertThat(third.statistics().operations()).as("its own alone").isEqualTo(7);
            assertThat(pair.client.tenants().get(Tenants.DEFAULT).merging())
                    .as("another tenant")
                    .isEqualTo(NOTHING);
        }
        assertThat(closed).isZero();
    }

    private static void awaitWindow(NodePair pair, Tenant tenant, long window) {
        MergingStatistics before = tenant.merging();
        pair.await(() -> {
            MergingStatistics now = tenant.merging();
            assertThat(now.operations()).isEqualTo(before.operations());
            assertThat(now.merged()).isEqualTo(before.merged());
            return now.window() == window;
        });
    }

    /** What a caller is told to try again is counted, by the region and by its tenant; what was accepted is not. */
    @Test
    void countsWhatIsRefused() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            pair.server.share("table", 4096);
            Tenant gold = pair.client.tenant("gold");
            RemoteRegion region =
                    gold.attach(pair.address + "table", hybrid().window(1000).buffer(4096), NodePair.TIMEOUT);
            int accepted = 0;
            while (write(region, 0, 1000) == SendResult.SENT) {
                accepted++;
            }
            assertThat(accepted).isEqualTo(4); // as many as the buffer takes
            assertThat(write(region, 0, 1000)).isEqualTo(SendResult.BACK_PRESSURED);
            assertThat(region.read(0, new UnsafeBuffer(new byte[1000]), 0, 1000, 0, (id, outcome, value) -> {}))
                    .isEqualTo(SendResult.BACK_PRESSURED);
            assertThat(region.statistics().refused()).isEqualTo(3);
            assertThat(gold.merging().refused()).isEqualTo(3);
            pair.await(() -> region.poll(10) >= 0 && told == 4);
            assertThat(write(region, 0, 1000)).isEqualTo(SendResult.SENT);
            assertThat(region.statistics().refused()).isEqualTo(3);
            assertThat(region.statistics().operations()).isEqualTo(5);
            region.close();
            awaitWindow(pair, gold, 0);
            assertThat(write(region, 0, 1000)).isEqualTo(SendResult.CLOSED);
            assertThat(gold.merging().refused()).isEqualTo(3);
        }
    }

    /** Windows to several nodes add up, and what is under way. */
    @Test
    void windowsAreOfEachNode() {
        try (NodePair pair = pair(Fabric.LOCAL);
                Node other = Node.launch(new NodeContext())) {
            pair.server.share("table", 4096);
            other.share("table", 4096);
            Tenant gold = pair.client.tenant("gold");
            RemoteRegion here = gold.attach(pair.address + "table", hybrid().window(100), NodePair.TIMEOUT);
            RemoteRegion there =
                    gold.attach("local:" + other.name() + "/table", hybrid().window(1000), NodePair.TIMEOUT);
            write(here, 0, 30);
            write(there, 0, 500);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(2, 2, 2, 0, 0, 0, 0, 530, 1100));
            pair.await(() -> here.poll(1) >= 0 && there.poll(1) >= 0 && told == 2);
            assertThat(gold.merging()).isEqualTo(new MergingStatistics(2, 2, 2, 0, 0, 0, 0, 0, 1100));
        }
    }

    @Test
    void theFlightRecorderIsTold(@TempDir Path directory) throws Exception {
        MergingStatistics counted;
        String node;
        Path file = directory.resolve("merging.jfr");
        try (Recording recording = new Recording();
                NodePair pair = pair(Fabric.LOCAL)) {
            node = pair.client.name();
            recording.enable(EVENT).with("period", "everyChunk"); // at its beginning and its end
            pair.server.share("table", 4096);
            Tenant gold = pair.client.tenant("gold");
            RemoteRegion region =
                    gold.attach(pair.address + "table", hybrid().window(48).buffer(4096), NodePair.TIMEOUT);
            merge(region);
            recording.start();
            while (write(region, 0, 1000) == SendResult.SENT) {}
            counted = gold.merging();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = of(file, node);
        assertThat(events)
                .hasSizeGreaterThan(1)
                .allMatch(event -> event.getString("tenant").equals("gold"));
        RecordedEvent last = events.get(events.size() - 1);
        assertThat(new MergingStatistics(
                        sum(events, "operations"),
                        sum(events, "workRequests"),
                        sum(events, "doorbells"),
                        sum(events, "merged"),
                        sum(events, "chained"),
                        sum(events, "waited"),
                        sum(events, "refused"),
                        last.getLong("bytesInFlight"),
                        last.getLong("window")))
                .isEqualTo(counted);
        assertThat(counted.refused()).isEqualTo(1);
        assertThat(counted.bytesInFlight()).isEqualTo(48);
    }

    /** A node that is closed is told of no more. */
    @Test
    void theFlightRecorderForgetsANode(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("closed.jfr");
        NodePair pair = pair(Fabric.LOCAL);
        Tenant gold = pair.client.tenant("gold");
        try (pair) {
            pair.server.share("table", 4096);
            gold.attach(pair.address + "table", hybrid(), NodePair.TIMEOUT)
                    .write(0, new UnsafeBuffer(new byte[8]), 0, 8, NodePair.TIMEOUT);
        }
        try (Recording recording = new Recording()) {
            recording.enable(EVENT).with("period", "everyChunk");
            recording.start();
            recording.stop();
            recording.dump(file);
        }
        assertThat(gold.merging().operations()).isEqualTo(1);
        assertThat(of(file, pair.client.name())).isEmpty();
    }

    private static List<RecordedEvent> of(Path file, String node) throws Exception {
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(EVENT))
                .filter(event -> event.getString("node").equals(node))
                .toList();
    }

    private static long sum(List<RecordedEvent> events, String field) {
        return events.stream().mapToLong(event -> event.getLong(field)).sum();
    }
}
