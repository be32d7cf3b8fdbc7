package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;

/** What every test of the suite has: a fabric, and two players with a connected pair on it. */
@ParameterizedClass(name = "{0}")
@ArgumentsSource(Fabrics.class)
@SuppressWarnings("NullAway.Init") // by JUnit, or before each test
abstract class ConformanceTest {
    static final int MTU = Players.MTU;
    static final long MICRO = Players.MICRO;
    static final long MILLI = Players.MILLI;

    @Parameter
    Fabric fabric;

    Players p;
    TestNic a;
    TestNic b;

    @BeforeEach
    void open() {
        use(players());
    }

    @AfterEach
    void close() {
        p.close();
    }

    /** What a test starts with. */
    Players players() {
        return Players.connected(fabric);
    }

    /** Starts again, with other attributes. */
    void reconnect(ConnectAttributes attributes) {
        p.close();
        use(Players.connected(fabric, attributes));
    }

    /** Goes on with other players. */
    final void use(Players players) {
        p = players;
        a = players.a;
        b = players.b;
    }

    static ConnectAttributes attributes() {
        return Players.attributes();
    }

    /** Skips what needs packets where there are none. */
    void needsPackets() {
        Assumptions.assumeFalse(fabric.direct, "one-sided operations send no packets here");
    }

    /** Skips what needs a link that another one may replace. */
    void needsLinksThatBreak() {
        Assumptions.assumeTrue(
                p.canBreak(), "a shared-memory link ends only with the peer's process, which is then known dead");
    }

    /** So many requests of the first player complete, with these statuses. */
    void sendsEnd(WcStatus... statuses) {
        p.untilSent(statuses.length);
        assertThat(a.sendStatuses()).containsExactly(statuses);
    }

    /** The peer refused: both queue pairs are in ERR, the request has the status, nothing was written. */
    void expectRemoteError(WcStatus status) {
        p.untilSent(1);
        p.settle();
        assertThat(a.sendStatuses()).containsExactly(status);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.isZero(0, TestNic.REGION)).isTrue();
    }

    /** The request was refused here: the peer knows nothing of it. */
    void expectLocalError(WcStatus status) {
        p.untilSent(1);
        p.settle();
        assertThat(a.sendStatuses()).containsExactly(status);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(b.isZero(0, TestNic.REGION)).isTrue();
    }

    /** A call is refused, and says so with each of the words. */
    static void refused(ThrowingCallable call, Object... words) {
        var thrown =
                assertThatThrownBy(call).isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class);
        for (Object word : words) {
            thrown.hasMessageContaining(String.valueOf(word));
        }
    }
}
