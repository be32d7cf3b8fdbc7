package io.verbena.nic.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Waiting;
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
class WaitEventsTest {
    @Test
    void tellsWhatWaitingCost(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("waits.jfr");
        WaitStatistics counted;
        try (Recording recording = new Recording();
                Nic nic = Nic.open(
                        new NicContext().mode(EngineMode.THREAD).name("waits").polling(Polling.hybrid()))) {
            recording.enable("io.verbena.Wait").with("period", "endChunk");
            recording.start();
            CompletionQueue cq = nic.createCompletionQueue(16);
            assertThat(cq.await(200_000_000)).isFalse(); // longer than a pause before it sleeps
            counted = nic.waitStatistics(Waiting.GUEST);
            recording.stop();
            recording.dump(file);
            cq.close();
        }
        List<RecordedEvent> guests = RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.getEventType().getName().equals("io.verbena.Wait"))
                .filter(e ->
                        e.getString("nic").equals("waits") && e.getString("who").equals("GUEST"))
                .toList();
        assertThat(guests).isNotEmpty();
        assertThat(counted.emptyLooks()).isPositive();
        assertThat(counted.sleeps()).isPositive(); // more than one, if it was woken for another
        assertThat(new WaitStatistics(sum(guests, "emptyLooks"), sum(guests, "sleeps"), sum(guests, "wakeUps")))
                .isEqualTo(counted);
    }

    private static long sum(List<RecordedEvent> events, String field) {
        return events.stream().mapToLong(e -> e.getLong(field)).sum();
    }
}
