package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.junit.jupiter.api.Test;

class WorkedExampleTest {
    @Test
    void print() {
        Traffic traffic = new Traffic(ArbiterSettings.defaults().withChunkTotal(64 * 1024));
        Port port = new Port();
        FlowGroup a = traffic.group(1);
        FlowGroup b = traffic.group(3);
        TestFlow a1 = traffic.flow(a, 1, port, 1500);
        TestFlow b1 = traffic.flow(b, 1, port, 1500);
        TestFlow b2 = traffic.flow(b, 3, port, 10_000);
        traffic.activateAll();
        for (int i = 0; i < 20; i++) {
            TestFlow f = (TestFlow) traffic.arbiter.next();
            int budget = f.budget();
            int sent = f.send(budget);
            traffic.charge(f, sent);
            traffic.arbiter.active(f);
            System.out.println((f == a1 ? "a1" : f == b1 ? "b1" : "b2") + " budget " + budget + " sent " + sent
                    + " flow " + f.credit / 65536.0 + " group " + f.queue().entry.credit / 65536.0);
        }
        assertThat(a1).isNotNull();
    }
}
