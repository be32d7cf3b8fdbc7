package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The numbers of the example that the package's documentation works through. */
@Timeout(180)
class WorkedExampleTest {
    private static final int MESSAGE = 10_000;

    private final Traffic traffic = new Traffic();
    private final OutputQueue output = new OutputQueue();
    private final FlowGroup a = traffic.group(1);
    private final FlowGroup b = traffic.group(3);
    private final TestFlow a1 = traffic.flow(a, 1, output, MESSAGE);
    private final TestFlow b1 = traffic.flow(b, 1, output, MESSAGE);
    private final TestFlow b2 = traffic.flow(b, 2, output, MESSAGE);
    private final Map<Flow, String> names = Map.of(a1, "a1", b1, "b1", b2, "b2");

    @Test
    void threeLaps() {
        traffic.activateAll();
        List<String> visits = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            TestFlow flow = (TestFlow) traffic.arbiter.next();
            int budget = flow.budget();
            int sent = flow.send(budget);
            traffic.charge(flow, sent);
            long left = flow.queue().entry.credit >> WeightedRound.FRACTION;
            visits.add(names.get(flow) + " may send " + budget + ", sends " + sent + ", leaves its group " + left);
            traffic.arbiter.active(flow);
        }
        assertThat(visits)
                .containsExactly(
                        "a1 may send 16384, sends 20000, leaves its group -3616",
                        "b1 may send 16384, sends 20000, leaves its group 29152",
                        "b2 may send 29152, sends 30000, leaves its group -848",
                        "a1 may send 12768, sends 20000, leaves its group -7232",
                        "b2 may send 2768, sends 10000, leaves its group 38304",
                        "b1 may send 12768, sends 20000, leaves its group 18304",
                        "b2 may send 18304, sends 20000, leaves its group -1696",
                        "a1 may send 9152, sends 10000, leaves its group -848",
                        "b2 may send 5536, sends 10000, leaves its group 37456",
                        "b1 may send 9152, sends 10000, leaves its group 27456",
                        "b2 may send 27456, sends 30000, leaves its group -2544");
        assertThat(List.of(a1.served, b1.served, b2.served)).containsExactly(50_000L, 50_000L, 100_000L);
    }
}
