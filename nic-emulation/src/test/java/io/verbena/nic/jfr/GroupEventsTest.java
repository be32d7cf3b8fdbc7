package io.verbena.nic.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.arbiter.FlowStatistics;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.verbs.EngineMode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class GroupEventsTest {
    @Test
    void tellsSharesWeightsAndWhoWasTooUrgent(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("groups.jfr");
        try (Recording recording = new Recording();
                Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER).name("orders"))) {
            recording.enable("io.verbena.GroupShare").with("period", "endChunk");
            recording.enable("io.verbena.WeightChange");
            recording.enable("io.verbena.UrgentDemoted");
            PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a"));
            PerformanceGroup b = nic.createGroup(new GroupAttributes().name("b").weight(2));
            recording.start();
            a.set(a.query().weight(3));
            a.set(a.query().ceiling(1000)); // no change of weight
            GroupStatistics ofA = a.statistics();
            FlowStatistics part = ofA.part(0);
            part.visit(3000, 30, 300);
            part.delayed(1_000_000);
            part.backlogged(5_000_000);
            ofA.entitle(0, 100);
            ofA.demote(0, 4);
            ofA.refuse(Limit.RECEIVER);
            a.operationRate(5_000_000, 0);
            ofA.held(0);
            ofA.held(0);
            for (int i = 0; i < 3; i++) {
                ofA.refuse(Limit.CEILING);
            }
            b.statistics().part(0).visit(1000, 10, 100);
            b.statistics().entitle(0, 300);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.hasField("nic") && e.getString("nic").equals("orders"))
                .toList();
        List<RecordedEvent> weights = of(events, "io.verbena.WeightChange");
        assertThat(weights).hasSize(1);
        assertThat(weights.get(0).getString("group")).isEqualTo("a");
        assertThat(weights.get(0).getInt("before")).isEqualTo(1);
        assertThat(weights.get(0).getInt("after")).isEqualTo(3);
        List<RecordedEvent> demoted = of(events, "io.verbena.UrgentDemoted");
        assertThat(demoted).hasSize(1);
        assertThat(demoted.get(0).getLong("visits")).isEqualTo(4);
        RecordedEvent share = of(events, "io.verbena.GroupShare").stream()
                .filter(e -> e.getString("group").equals("a") && e.getLong("bytes") > 0)
                .findFirst()
                .orElseThrow();
        assertThat(share.getInt("weight")).isEqualTo(3);
        assertThat(share.getLong("bytes")).isEqualTo(3000);
        assertThat(share.getLong("messages")).isEqualTo(30);
        assertThat(share.getDouble("share")).isCloseTo(0.75, within(1e-9));
        assertThat(share.getDouble("entitlement")).isCloseTo(0.25, within(1e-9));
        assertThat(share.getDuration("backlogged").toMillis()).isEqualTo(5);
        assertThat(share.getLong("refusedForReceiver")).isEqualTo(1);
        assertThat(share.getLong("operationRate")).isEqualTo(5_000_000);
        assertThat(share.getLong("heldByRate")).isEqualTo(2);
        assertThat(share.getLong("refusedForCeiling")).isEqualTo(3);
        assertThat(share.getLong("refusedForWindow")).isZero();
        assertThat(share.getLong("refusedForLink")).isZero();
        assertThat(share.getDuration("delay99").toNanos()).isBetween(1_000_000L, 1_200_000L);
    }

    @Test
    void theRecorderDoesNotWaitForTheNic() throws Exception {
        try (Recording recording = new Recording();
                Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER).id(78))) {
            recording.enable("io.verbena.GroupShare").with("period", "endChunk");
            recording.start();
            Thread stops = new Thread(recording::stop);
            stops.setDaemon(true);
            synchronized (nic) { // as whoever creates and destroys objects does
                stops.start();
                stops.join(TimeUnit.SECONDS.toMillis(20));
                assertThat(stops.isAlive()).isFalse();
            }
        }
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(e -> e.getEventType().getName().equals(name))
                .toList();
    }
}
