package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Windows that a control of the application's finds: what it is told, and what it may not say. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AdmissionControlTest {
    private static final int PIECE = 1000;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.verbena");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final List<Long> told = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private int value;

    /** What a control was told. */
    private record Call(long bytes, long roundTrip, long inFlight, long now) {}

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
    }

    private static RemoteRegion attach(NodePair pair, long first, Supplier<AdmissionControl> controls) {
        RegionOptions options =
                new RegionOptions().merge(Merging.SINGLE).admission(AdmissionPolicy.of(first, controls));
        return pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
    }

    private void write(RemoteRegion region, int count) {
        for (int i = 0; i < count; i++) {
            UnsafeBuffer source = new UnsafeBuffer(new byte[PIECE]);
            source.setMemory(0, PIECE, (byte) ++value);
            assertThat(region.write((long) PIECE * value, source, 0, PIECE, value, (id, outcome, old) -> {
                        assertThat(outcome).isEqualTo(Outcome.DONE);
                        told.add(id);
                    }))
                    .isEqualTo(SendResult.SENT);
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void itIsToldWhatEndsAndItsWindowHolds(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.share("table", 100 * PIECE);
            RemoteRegion region = attach(pair, PIECE, () -> (bytes, roundTrip, inFlight, now) -> {
                calls.add(new Call(bytes, roundTrip, inFlight, now));
                return 3 * PIECE;
            });
            assertThat(region.statistics().window()).isEqualTo(PIECE);
            write(region, 20);
            assertThat(region.statistics().bytesInFlight()).isEqualTo(PIECE);
            pair.await(() -> {
                region.poll(5);
                assertThat(region.statistics().bytesInFlight()).isLessThanOrEqualTo(3 * PIECE);
                return told.size() == 20;
            });
            assertThat(region.statistics().window()).isEqualTo(3 * PIECE);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
        assertThat(calls.get(0).bytes()).isEqualTo(PIECE);
        assertThat(calls.get(0).inFlight()).isZero();
        assertThat(calls.stream().mapToLong(Call::bytes).sum()).isEqualTo(20 * PIECE);
        assertThat(calls).allMatch(call -> call.roundTrip() > 0 && call.inFlight() + call.bytes() <= 3 * PIECE);
        assertThat(calls).anyMatch(call -> call.inFlight() + call.bytes() == 3 * PIECE);
        for (int i = 1; i < calls.size(); i++) {
            assertThat(calls.get(i).now())
                    .isGreaterThanOrEqualTo(calls.get(i - 1).now());
        }
    }

    /** Each region has a control of its own, and each counts what the other has under way. */
    @Test
    void twoRegionsShareTheAccountAndNoControl() {
        AtomicInteger made = new AtomicInteger();
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 100 * PIECE);
            Supplier<AdmissionControl> controls = () -> {
                int window = made.incrementAndGet() * 10 * PIECE;
                return (bytes, roundTrip, inFlight, now) -> {
                    calls.add(new Call(bytes, roundTrip, inFlight, now));
                    return window;
                };
            };
            RemoteRegion first = attach(pair, 10 * PIECE, controls);
            RemoteRegion second = attach(pair, 10 * PIECE, controls);
            write(first, 2);
            write(second, 1);
            pair.await(() -> second.poll(5) > 0);
            assertThat(calls).singleElement().extracting(Call::inFlight).isEqualTo(2L * PIECE);
            pair.await(() -> first.poll(5) >= 0 && told.size() == 3);
            assertThat(first.statistics().window()).isEqualTo(10 * PIECE);
            assertThat(second.statistics().window()).isEqualTo(20 * PIECE);
            assertThat(first.statistics().bytesInFlight()).isZero();
        }
    }

    /** Nothing is lost, nor waits for ever: the window stays as it was, and the log says why, once. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void oneThatThrowsKeepsItsWindow(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 100 * PIECE);
            AtomicInteger called = new AtomicInteger();
            RemoteRegion region = attach(pair, 2 * PIECE, () -> (bytes, roundTrip, inFlight, now) -> {
                switch (called.getAndIncrement() % 3) {
                    case 0 -> throw new IllegalStateException("no idea");
                    case 1 -> throw new AssertionError("none at all");
                    default -> {
                        return 2 * PIECE;
                    }
                }
            });
            write(region, 50);
            pair.await(() -> region.poll(5) >= 0 && told.size() == 50);
            for (int i = 1; i <= 50; i++) {
                assertThat(told.get(i - 1)).isEqualTo(i);
                assertThat(shared.buffer().getByte(i * PIECE)).isEqualTo((byte) i);
            }
            assertThat(called.get()).isGreaterThan(2);
            assertThat(region.statistics().window()).isEqualTo(2 * PIECE);
            assertThat(region.statistics().bytesInFlight()).isZero();
            assertThat(region.statistics().waited()).isPositive();
            assertThat(region.isConnected()).isTrue();
        }
        assertOneLine().endsWith("failed, the window stays at 2000 bytes; 0 such lines left out");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aWindowThatIsNoneIsAnErrorOfTheControl(long wrong) {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 100 * PIECE);
            RemoteRegion region = attach(pair, 2 * PIECE, () -> (bytes, roundTrip, inFlight, now) -> wrong);
            write(region, 10);
            pair.await(() -> region.poll(5) >= 0 && told.size() == 10);
            assertThat(region.statistics().window()).isEqualTo(2 * PIECE);
        }
        assertOneLine();
        assertThat(log.list)
                .anySatisfy(event -> assertThat(event.getThrowableProxy().getMessage())
                        .isEqualTo("window " + wrong + " < minimum 1"));
    }

    private AbstractStringAssert<?> assertOneLine() {
        List<ILoggingEvent> errors = log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .toList();
        assertThat(errors).hasSize(1);
        return assertThat(errors.get(0).getFormattedMessage());
    }

    /** The narrowest and the widest window that there is: what is longer goes alone, and nothing is counted wrongly. */
    @ParameterizedTest
    @ValueSource(longs = {1, Long.MAX_VALUE})
    void anyWindowFromOneByteOnCarriesAll(long window) {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 100 * PIECE);
            RemoteRegion region = attach(pair, window, () -> (bytes, roundTrip, inFlight, now) -> window);
            write(region, 20);
            pair.await(() -> region.poll(5) >= 0 && told.size() == 20);
            assertThat(region.statistics().workRequests()).isEqualTo(20);
            assertThat(region.statistics().waited() > 0).isEqualTo(window == 1);
            assertThat(pair.client.tenants().get(Tenants.DEFAULT).merging().window())
                    .isEqualTo(window);
        }
    }

    /** What cannot be made is not attached, and takes nothing. */
    @Test
    void whereThereIsNoControlNothingIsAttached() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AdmissionPolicy.of(0, () -> (bytes, roundTrip, inFlight, now) -> 1))
                .withMessage("first window 0 < minimum 1");
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 100 * PIECE);
            int regions = pair.client.tenants().get(Tenants.DEFAULT).regions();
            assertThatThrownBy(() -> attach(pair, 1, () -> null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("control");
            assertThatThrownBy(() -> attach(pair, 1, () -> {
                        throw new IllegalStateException("none today");
                    }))
                    .hasMessage("none today");
            Tenant tenant = pair.client.tenants().get(Tenants.DEFAULT);
            assertThat(tenant.connections()).isZero();
            assertThat(tenant.regions()).isEqualTo(regions);
            RemoteRegion region = attach(pair, 1, () -> (bytes, roundTrip, inFlight, now) -> 1);
            write(region, 1);
            pair.await(() -> region.poll(1) >= 0 && told.size() == 1);
        }
    }
}
