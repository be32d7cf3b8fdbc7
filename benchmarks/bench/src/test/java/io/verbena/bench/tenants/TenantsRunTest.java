package io.verbena.bench.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Real measurements, as short as can be: that they work, not what they come to. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TenantsRunTest {
    private static final int LARGE = 128 << 10;
    private static final double SECONDS = 0.1;
    private static final double SECONDS_OF_TWO = 0.6; // JVMs that have just started, on a machine that may be busy
    private static final long MUCH = 512 << 20; // bytes: laps are at most 1 MiB
    private static final int POSTS_PER_TURN = 8; // more than a turn of the engine sends
    private static final int MANY = 1_000_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final double MEASURING_SECONDS = 20;
    private static final int LONGER = 4;

    /**
     * Measures until something came of it, each time for longer: where cores are short a message takes longer than a
     * short run does, however often that is repeated. The time until processes have started does not count.
     */
    private static <R> R measure(double seconds, Predicate<R> enough, DoubleFunction<R> run) {
        double length = seconds;
        R result = run.apply(length);
        while (!enough.test(result) && length < MEASURING_SECONDS) {
            length *= LONGER;
            result = run.apply(length);
        }
        return result;
    }

    private static boolean allHaveSent(TenantsResult result) {
        return result.tenants().stream().allMatch(each -> each.messages() > 0 && each.charged() > 0);
    }

    private static double sumOfShares(TenantsResult result) {
        return result.tenants().stream()
                .mapToDouble(TenantsResult.Figures::share)
                .sum();
    }

    /**
     * Both sides by one thread, so that what comes of it does not depend on who gets a core; it posts while it keeps
     * the engine from sending, so that both have work queued whenever the arbiter chooses.
     */
    @ParameterizedTest
    @CsvSource({
        "LOCAL, WRITE, 4096, 131072",
        "LOCAL, WRITE, 131072, 4096",
        "LOCAL, SEND, 4096, 131072",
        "LOCAL, SEND, 131072, 4096",
        "UDS, WRITE, 4096, 131072",
        "UDS, SEND, 131072, 4096",
        "TCP, SEND, 4096, 131072",
        "TCP, WRITE, 131072, 4096"
    })
    void sharesAreThoseOfTheWeights(FabricKind fabric, TenantVerb verb, int lightBytes, int heavyBytes) {
        List<MeasuredTenant> tenants = List.of(
                MeasuredTenant.of("light", 1, lightBytes, verb), MeasuredTenant.of("heavy", 3, heavyBytes, verb));
        TenantsSetting setting = new TenantsSetting(
                fabric, false, Discipline.CHUNKS, ChargedUnit.BYTES, tenants, Ping.NONE, SECONDS, SECONDS);
        try (FabricNode near = FabricNode.open(fabric, setting.near().mode(EngineMode.INVOKER));
                FabricNode far = FabricNode.open(fabric, setting.far())) {
            link(near, far);
            List<TenantSender> senders = new ArrayList<>();
            List<TenantSink> sinks = new ArrayList<>();
            for (MeasuredTenant tenant : tenants) {
                TenantSender sender = new TenantSender(near.nic(), tenant);
                TenantSink sink = new TenantSink(far.nic(), tenant);
                sink.connect(near.nic().id(), sender.numbers(), new ConnectAttributes());
                sender.connect(far.nic().id(), sink.address(), new ConnectAttributes());
                senders.add(sender);
                sinks.add(sink);
            }
            ShareMeter meter = new ShareMeter(tenants.size());
            long[] charged = new long[tenants.size()];
            boolean[] hadWork = new boolean[tenants.size()];
            Runnable post = () -> {
                for (int i = 0; i < POSTS_PER_TURN; i++) {
                    senders.forEach(TenantSender::turn);
                }
            };
            near.engine().call(post);
            senders.forEach(TenantSender::hadWork);
            meter.start(0, charged);
            for (int turn = 1; charged[0] + charged[1] < MUCH; turn++) {
                near.drive();
                far.drive();
                sinks.forEach(TenantSink::turn);
                near.engine().call(post);
                for (int i = 0; i < charged.length; i++) {
                    charged[i] = senders.get(i).statistics().charged();
                    hadWork[i] = senders.get(i).hadWork();
                }
                meter.sample(turn, charged, hadWork);
                assertThat(turn)
                        .as("turns for %d and %d bytes", charged[0], charged[1])
                        .isLessThan(MANY);
            }
            assertThat(meter.contended()).isGreaterThan(0.9);
            assertThat(meter.share(0)).isBetween(0.245, 0.255);
        }
    }

    /** The NIC counts at the end of a visit: what is posted and not counted may have been sent. */
    @Test
    void whatAVisitMayHaveSentIsNoWorkQueued() {
        MeasuredTenant tenant = MeasuredTenant.of("tenant", 1, 4096, TenantVerb.WRITE);
        TenantsSetting setting = new TenantsSetting(
                FabricKind.LOCAL,
                false,
                Discipline.CHUNKS,
                ChargedUnit.NIC_TIME,
                List.of(tenant),
                Ping.NONE,
                SECONDS,
                SECONDS);
        try (FabricNode near = FabricNode.open(FabricKind.LOCAL, setting.near().mode(EngineMode.INVOKER));
                FabricNode far = FabricNode.open(FabricKind.LOCAL, setting.far())) {
            link(near, far);
            TenantSender sender = new TenantSender(near.nic(), tenant);
            TenantSink sink = new TenantSink(far.nic(), tenant);
            sink.connect(near.nic().id(), sender.numbers(), new ConnectAttributes());
            sender.connect(far.nic().id(), sink.address(), new ConnectAttributes());
            near.engine().call(() -> {
                sender.turn();
                sender.hadWork();
                assertThat(sender.hadWork()).as("after a batch").isFalse();
                while (sender.turn() > 0) {
                    continue;
                }
                assertThat(sender.hadWork()).as("it was short since").isFalse();
                assertThat(sender.hadWork()).as("with a full send queue").isTrue();
            });
        }
    }

    private static void link(FabricNode near, FabricNode far) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        near.connect(loopback, far.listen(loopback), PATIENCE_NANOS);
        WaitLimit deadline = WaitLimit.ofSeconds(60, "link");
        near.awaitLink(far.nic().id(), () -> {
            far.drive();
            deadline.run();
        });
        far.awaitLink(near.nic().id(), () -> {
            near.drive();
            deadline.run();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "LOCAL, WRITE, false",
        "LOCAL, SEND, false",
        "LOCAL, APPEND, false",
        "UDS, WRITE, false",
        "UDS, APPEND, false",
        "TCP, SEND, false",
        "UDS, SEND, true",
        "TCP, APPEND, true"
    })
    void bothTenantsSend(FabricKind fabric, TenantVerb verb, boolean twoProcesses) {
        double seconds = twoProcesses ? SECONDS_OF_TWO : SECONDS;
        List<MeasuredTenant> tenants =
                List.of(MeasuredTenant.of("a", 1, 64, verb), MeasuredTenant.of("b", 3, LARGE, verb));

        TenantsResult result = measure(seconds, each -> allHaveSent(each) && sumOfShares(each) > 0, length -> {
            TenantsSetting setting = new TenantsSetting(
                    fabric, twoProcesses, Discipline.CHUNKS, ChargedUnit.BYTES, tenants, Ping.NONE, seconds, length);
            return twoProcesses ? TenantsProcess.measure(setting) : TenantsRun.run(setting);
        });

        assertThat(result.seconds()).isGreaterThanOrEqualTo(seconds);
        for (TenantsResult.Figures each : result.tenants()) {
            assertThat(each.messages()).as(each.name()).isPositive();
            assertThat(each.charged()).as(each.name()).isPositive();
        }
        assertThat(sumOfShares(result)).isBetween(0.999, 1.001);
        assertThat(result.tenants().get(1).entitled()).isEqualTo(0.75);
    }

    @ParameterizedTest
    @CsvSource({"LOCAL, WRITE, 0", "LOCAL, WRITE, 2", "LOCAL, ECHO, 2", "UDS, WRITE, 2", "UDS, ECHO, 1"})
    void pingsComeBackBesideAFlood(FabricKind fabric, Ping ping, int flooders) {
        List<MeasuredTenant> flood = flooders == 0
                ? List.of()
                : List.of(MeasuredTenant.of("flood", 1, LARGE, TenantVerb.WRITE).on(flooders));
        TenantsResult result = measure(
                SECONDS,
                each -> each.latency().count() > 0 && allHaveSent(each),
                length -> TenantsRun.run(new TenantsSetting(
                        fabric, false, Discipline.CHUNKS, ChargedUnit.BYTES, flood, ping, SECONDS, length)));

        assertThat(result.latency().count()).isPositive();
        assertThat(result.latency().p50()).isBetween(1L, result.latency().max());
        assertThat(result.tenants())
                .hasSize(flood.size())
                .allSatisfy(each -> assertThat(each.messages()).isPositive());
    }

    @Test
    void pingsComeBackBesideAFloodOverAeron() {
        TenantsResult result = measure(
                SECONDS,
                each -> each.latency().count() > 0 && each.tenants().get(0).messages() > 0,
                length -> AeronFlood.run(new AeronFlood.Setting(2, LARGE, SECONDS, length)));

        assertThat(result.latency().count()).isPositive();
        assertThat(result.tenants().get(0).messages()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(
            value = Adversary.class,
            names = {"ONE_BYTE", "ALL_URGENT", "SILENT_PEER", "INVALID"})
    void theVictimSendsBesideEachAdversary(Adversary adversary) {
        for (FabricKind fabric : List.of(FabricKind.LOCAL, FabricKind.UDS)) {
            TenantsResult result = measure(
                    SECONDS,
                    each -> each.tenants().get(0).messages() > 0,
                    length -> TenantsRun.run(new TenantsSetting(
                            fabric,
                            false,
                            Discipline.CHUNKS,
                            ChargedUnit.BYTES,
                            adversary.tenants(),
                            Ping.NONE,
                            SECONDS,
                            length)));

            assertThat(result.tenants().get(0).messages()).as(fabric.name()).isPositive();
        }
    }

    static List<Arguments> attacks() {
        List<Arguments> all = new ArrayList<>();
        for (Adversary adversary : Adversary.values()) {
            if (adversary.isAttack() && adversary != Adversary.BUSY_THREAD) {
                all.add(Arguments.of(adversary, FabricKind.LOCAL, Ping.NONE));
                all.add(Arguments.of(adversary, FabricKind.SHM, Ping.ECHO));
                all.add(Arguments.of(adversary, FabricKind.UDS, Ping.NONE));
                all.add(Arguments.of(adversary, FabricKind.TCP, Ping.ECHO));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void theVictimGoesOnBesideEachAttack(Adversary adversary, FabricKind fabric, Ping ping) {
        Beside beside = measure(
                SECONDS,
                each -> each.attacks() > 0 && isAlive(each),
                length -> TenantsRun.run(new Beside.Setting(
                        fabric, adversary, ping, Discipline.CHUNKS, ChargedUnit.BYTES, SECONDS, length)));

        assertThat(beside.attacks()).as("attacks a second").isPositive();
        assertThat(isAlive(beside)).as("%s", beside).isTrue();
    }

    /** Whether the victim sent, or had answers, before and during. */
    private static boolean isAlive(Beside beside) {
        return Stream.of(beside.before(), beside.during())
                .allMatch(each -> each.latency().count() > 0
                        || each.tenants().stream().anyMatch(tenant -> tenant.messages() > 0));
    }

    @Test
    void whatContradictsItselfIsRefused() {
        List<MeasuredTenant> tenants = Adversary.INVALID.tenants();
        assertThatThrownBy(() -> new TenantsSetting(
                        FabricKind.UDS, true, Discipline.CHUNKS, ChargedUnit.BYTES, tenants, Ping.NONE, 0, 1))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("within one process only");
        assertThatThrownBy(() -> MeasuredTenant.of("a", 0, 64, TenantVerb.SEND))
                .isInstanceOf(RunException.class)
                .hasMessage("a: weight 0 < minimum 1");
        assertThatThrownBy(() -> MeasuredTenant.of("a", 1, 64 << 20, TenantVerb.SEND))
                .isInstanceOf(RunException.class)
                .hasMessage("a: bytes 67108864 > maximum 16777216");
    }
}
