package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class TenantIsolationTest {
    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final PerformanceGroup group = nic.createGroup(
            new GroupAttributes().name("a").maxQueuePairWeight(10).urgentLimit(100));
    private final ProtectionDomain pd = nic.allocateProtectionDomain(group);
    private final CompletionQueue cq = nic.createCompletionQueue(64);

    @AfterEach
    void close() {
        nic.close();
    }

    private QueuePair queuePair() {
        return pd.createQueuePair(new QueuePairAttributes().completionQueue(cq).maxInline(256));
    }

    private static QueuePair ready(QueuePair qp) {
        qp.connect(4711, 5);
        return qp;
    }

    @Test
    void aWeightMayBeSetInEveryStateButResetAndError() {
        QueuePair qp = queuePair();
        QpAttributes three = new QpAttributes().weight(3);
        assertThatThrownBy(() -> qp.modify(three)).hasMessageContaining("does not take weight");
        qp.modify(new QpAttributes().state(QpState.INIT).access(0).weight(2).trafficClass(TrafficClass.URGENT));
        assertThat(qp.query().weight()).isEqualTo(2);
        assertThat(qp.query().trafficClass()).isEqualTo(TrafficClass.URGENT);
        qp.modify(three);
        qp.modify(new QpAttributes()
                .state(QpState.RTR)
                .peerNic(4711)
                .peerQp(5)
                .pathMtu(1024)
                .receivePsn(0)
                .maxDestRdAtomic(1)
                .minRnrTimer(1)
                .weight(4));
        assertThat(qp.query().weight()).isEqualTo(4);
        qp.modify(three); // RTR
        qp.modify(new QpAttributes()
                .state(QpState.RTS)
                .sendPsn(0)
                .timeout(18)
                .retryCount(7)
                .rnrRetry(7)
                .maxRdAtomic(1));
        assertThat(qp.query().weight()).isEqualTo(3);
        qp.modify(new QpAttributes().weight(5));
        qp.modify(new QpAttributes().state(QpState.SQD));
        qp.modify(new QpAttributes().trafficClass(TrafficClass.BULK));
        assertThat(qp.query().weight()).isEqualTo(5);
        assertThat(qp.query().trafficClass()).isEqualTo(TrafficClass.BULK);
        qp.modify(new QpAttributes().state(QpState.ERR));
        assertThatThrownBy(() -> qp.modify(three)).hasMessageContaining("does not take weight");
        assertThat(qp.query().weight()).isEqualTo(5);
        qp.modify(new QpAttributes().state(QpState.RESET));
        assertThat(qp.query().weight()).isEqualTo(1);
    }

    @Test
    void limitsAreNamedAndARefusedCallChangesNothing() {
        QueuePair qp = ready(queuePair());
        qp.modify(new QpAttributes().weight(10));
        assertThatThrownBy(() -> qp.modify(new QpAttributes().weight(11).trafficClass(TrafficClass.URGENT)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("weight 11 > maximum 10");
        assertThat(qp.query().weight()).isEqualTo(10);
        assertThat(qp.query().trafficClass()).isEqualTo(TrafficClass.BULK);
        group.set(group.query().mayBeUrgent(false));
        assertThatThrownBy(() -> qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("URGENT");
    }

    @Test
    void anUrgentMessageIsBounded() {
        QueuePair qp = ready(queuePair());
        UnsafeBuffer data = new UnsafeBuffer(new byte[256]);
        SendRequest request = new SendRequest();
        assertThat(qp.post(request.send().inline(data, 0, 101))).isEqualTo(PostResult.POSTED);
        qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        assertThat(qp.post(request.send().inline(data, 0, 100))).isEqualTo(PostResult.POSTED);
        assertThatThrownBy(() -> qp.post(request.send().inline(data, 0, 101)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("urgent message of 101 bytes > maximum 100");
        group.set(group.query().urgentLimit(101));
        assertThat(qp.post(request.send().inline(data, 0, 101))).isEqualTo(PostResult.POSTED);
    }

    @Test
    void whoseUrgencyIsTakenAwayBecomesBulk() {
        QueuePair qp = ready(queuePair());
        qp.modify(new QpAttributes().weight(7).trafficClass(TrafficClass.URGENT));
        group.set(group.query().mayBeUrgent(false));
        assertThat(qp.query().trafficClass()).isEqualTo(TrafficClass.BULK);
        assertThat(qp.query().weight()).isEqualTo(7);
    }

    @Test
    void aLowerLimitHoldsForWhatComes() {
        QueuePair qp = ready(queuePair());
        qp.modify(new QpAttributes().weight(10));
        group.set(group.query().maxQueuePairWeight(2));
        assertThat(qp.query().weight()).isEqualTo(10);
        assertThatThrownBy(() -> qp.modify(new QpAttributes().weight(3))).hasMessageContaining("weight 3 > maximum 2");
    }
}
