package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.GroupAttributes;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import org.junit.jupiter.api.Test;

/** Performance groups: what an administrator sets, what a tenant may, and that neither loses a message. */
final class GroupsTest extends ConformanceTest {
    private static GroupAttributes named(String name) {
        return new GroupAttributes().name(name);
    }

    /** A tenant of the first player's NIC, with memory and a queue pair that is connected. */
    private final class Tenant {
        final PerformanceGroup group;
        final ProtectionDomain pd;
        final MemoryRegion region;
        final QueuePair qp;

        Tenant(GroupAttributes attributes) {
            group = a.nic.createGroup(attributes);
            pd = a.nic.allocateProtectionDomain(group);
            region = pd.allocate(TestNic.REGION, Access.LOCAL_WRITE);
            qp = pd.createQueuePair(a.attributes());
            p.connect(qp, b.newQueuePair(), attributes());
        }

        void write(int count, int length) {
            for (int i = 0; i < count; i++) {
                qp.post(a.request
                        .write(b.key(), 0)
                        .local(region.key(), 0, length)
                        .signaled(i == count - 1));
            }
            qp.doorbell();
        }
    }

    @Proves(Row.GRP_CREATE)
    @Test
    void isCreatedSetQueriedAndDestroyed() {
        PerformanceGroup group = a.nic.createGroup(named("x").weight(3));
        group.set(group.query().weight(7).maxQueuePairs(2).ceiling(1 << 30));
        assertThat(group.query().weight()).isEqualTo(7);
        assertThat(group.query().maxQueuePairs()).isEqualTo(2);
        assertThat(group.query().ceiling()).isEqualTo(1 << 30);
        refused(() -> a.nic.createGroup(named("x")), "x");
        refused(() -> group.set(group.query().weight(9).ceiling(10).floor(11)), 10, 11);
        refused(() -> new GroupAttributes().weight(65_536), 65_536, 65_535);
        assertThat(group.query().weight()).isEqualTo(7);
        group.close();
        refused(() -> a.nic.allocateProtectionDomain(group), "closed");
        refused(a.nic.defaultGroup()::close, "default");
    }

    @Proves(Row.GRP_CREATE)
    @Test
    void weightsMayChangeWhileTrafficRuns() {
        Tenant x = new Tenant(named("x").ceiling(1L << 40));
        x.write(50, 20_000);
        for (int weight : new int[] {65_535, 1, 12}) {
            x.group.set(x.group.query().weight(weight));
            x.qp.modify(new QpAttributes().weight(weight % 1000 + 1));
            p.runFor(20 * MICRO);
        }
        sendsEnd(WcStatus.SUCCESS);
        assertThat(x.group.statistics().bytes()).isGreaterThanOrEqualTo(1_000_000);
        assertThat(x.pd.statistics().messages()).isGreaterThanOrEqualTo(50);
    }

    @Proves(Row.GRP_LIMITS)
    @Test
    void whatATenantMaySetIsLimited() {
        Tenant x = new Tenant(named("x").maxQueuePairWeight(5).maxQueuePairs(1).mayBeUrgent(false));
        refused(() -> x.qp.modify(new QpAttributes().weight(6)), 6, 5);
        refused(() -> x.qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT)), "URGENT", "BULK");
        refused(() -> x.pd.createQueuePair(a.attributes()), 2, 1);
        x.pd.limits().weight(100);
        assertThat(x.group.query().weight()).isEqualTo(1);
        x.qp.modify(new QpAttributes().weight(5));
        assertThat(x.qp.query().weight()).isEqualTo(5);
    }

    @Proves(Row.GRP_BUSY)
    @Test
    void isBusyWhileADomainIsInIt() {
        PerformanceGroup group = a.nic.createGroup(named("x"));
        ProtectionDomain pd = a.nic.allocateProtectionDomain(group);
        refused(group::close, "EBUSY");
        pd.close();
        group.close();
        group.close();
    }

    @Proves(Row.QP_WEIGHT)
    @Test
    void weightAndClassMayBeSetFromInitOn() {
        QueuePair qp = a.newQueuePair();
        QpAttributes both = new QpAttributes().weight(9).trafficClass(TrafficClass.URGENT);
        refused(() -> qp.modify(both), "weight");
        qp.modify(new QpAttributes().state(QpState.INIT).access(0).weight(2));
        qp.modify(both);
        assertThat(qp.query().weight()).isEqualTo(9);
        assertThat(qp.query().trafficClass()).isEqualTo(TrafficClass.URGENT);
        qp.modify(new QpAttributes().state(QpState.ERR));
        refused(() -> qp.modify(both), "weight");
        qp.modify(new QpAttributes().state(QpState.RESET));
        assertThat(qp.query().weight()).isEqualTo(1);
        assertThat(qp.query().trafficClass()).isEqualTo(TrafficClass.BULK);
    }

    @Proves(Row.QP_URGENT_TOO_LONG)
    @Test
    void anUrgentMessageAboveTheLimitIsRefused() {
        Tenant x = new Tenant(named("x").urgentLimit(1000));
        x.qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        refused(() -> x.qp.postSend(a.request.write(b.key(), 0).local(x.region.key(), 0, 1001)), 1001, 1000);
        refused(() -> x.qp.postSend(a.request.read(b.key(), 0).local(x.region.key(), 0, 1001)), 1001, 1000);
        x.qp.postSend(a.request.write(b.key(), 0).local(x.region.key(), 0, 1000));
        x.qp.postSend(a.request.read(b.key(), 0).local(x.region.key(), 0, 1000));
        sendsEnd(WcStatus.SUCCESS, WcStatus.SUCCESS);
    }

    @Proves(Row.GRP_SHARES)
    @Test
    void groupsWithWorkShareByWeight() {
        needsPackets(); // where a request is executed as it is posted, nobody waits
        Tenant x = new Tenant(named("x").weight(1));
        Tenant y = new Tenant(named("y").weight(3));
        x.write(250, 60_000);
        y.write(250, 60_000);
        long fromX = x.group.statistics().charged();
        long fromY = y.group.statistics().charged();
        p.until(() -> y.group.statistics().charged() - fromY > 8_000_000);
        assertThat(a.sends).as("both still have work").isEmpty();
        double ofX = x.group.statistics().charged() - fromX;
        double ofY = y.group.statistics().charged() - fromY;
        assertThat(ofX / (ofX + ofY)).isCloseTo(0.25, within(0.25 * 0.03));
        p.untilSent(2);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }
}
