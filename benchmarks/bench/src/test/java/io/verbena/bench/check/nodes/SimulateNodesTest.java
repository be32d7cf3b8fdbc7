package io.verbena.bench.check.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Ranges;
import io.verbena.verification.walk.WalkFailure;
import io.verbena.verification.walk.Walks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

@Timeout(600)
class SimulateNodesTest {
    private static final int LENGTH = 32;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[64]);
    private final NodeWalk walk = new NodeWalk(plan(1), 16);
    private final NodeHost host = new NodeHost(walk, plan(1), "a", "none", Path.of(""), new SimRandom(1));
    private final NodeHost.Opening target = new NodeHost.Opening(host, "called", () -> {});
    private final NodeFlow flow = new NodeFlow(3, host, target, null, 7, 1, false);

    private static NodePlan plan(long seed) {
        return new NodePlan(seed, NodePlan.STEPS, new BitSet(), EnumSet.noneOf(Feature.class), false);
    }

    private static NodePlan realPlan(long seed) {
        return new NodePlan(seed, NodePlan.STEPS, new BitSet(), EnumSet.noneOf(Feature.class), true);
    }

    @Test
    @Tag("computed")
    void seedsPassAndEverythingHappens() {
        NodeTally tally = walk(SimulateNodesTest::plan, 2_000);
        assertThat(tally.missing(false)).isEmpty();
    }

    /** With threads, shared memory and sockets. */
    @Test
    void seedsPassInRealTime() {
        walk(SimulateNodesTest::realPlan, 24);
    }

    private static NodeTally walk(LongFunction<NodePlan> plans, int seeds) {
        NodeLeftovers before = NodeLeftovers.now();
        NodeTally tally = new NodeTally();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Walks<NodePlan> walks = new Walks<>(1, seeds, 4, Long.MAX_VALUE, plans, SimulateNodes.into(tally));
        walks.run(new PrintStream(said, true, StandardCharsets.UTF_8));
        assertThat(walks.failed())
                .as(said.toString(StandardCharsets.UTF_8))
                .extracting(NodePlan::replay)
                .isEmpty();
        assertThat(walks.walked()).isEqualTo(seeds);
        assertThat(before.since()).isNull();
        return tally;
    }

    /** Whatever else runs in the process. */
    @Test
    void aSeedDoesTheSameEachTime() {
        for (long seed = 1; seed <= 20; seed++) {
            long hash = hash(seed);
            hash(seed + 100);
            assertThat(hash(seed)).as("seed %d", seed).isEqualTo(hash);
        }
    }

    private static long hash(long seed) {
        NodeWalk walk = new NodeWalk(plan(seed), 16);
        walk.run();
        return walk.trace().hash();
    }

    /** Errors and warnings, of the thread that walks and of others, but for those that it gives cause for. */
    @Test
    void whatIsLoggedWithoutCauseIsTold() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Logger engine = LoggerFactory.getLogger("io.verbena.nic.engine.Engine");
        LoggedErrors errors = LoggedErrors.tell(failure -> told.add(failure.getMessage()));
        try {
            engine.info("it works");
            LoggerFactory.getLogger("io.verbena.Inbox").warn("messages of it are held");
            LoggerFactory.getLogger("io.verbena.dispatch.TenantCallbacks")
                    .error("a handler failed", new NodeCalls.Refusal());
            assertThat(told).isEmpty();
            engine.error("it met an error", new IllegalStateException("the first"));
            Thread other = new Thread(() -> engine.warn("the second"));
            other.start();
            other.join();
        } finally {
            errors.close();
        }
        engine.error("this is no walk's");
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).contains("ERROR: it met an error", "IllegalStateException: the first");
        assertThat(told.get(1)).contains("WARN: the second");
    }

    @Test
    void aWalkFailsOfWhatIsLoggedWithoutCause() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread walker = new Thread(() -> {
            while (failure.get() == null) { // a walk may be over before anything is logged
                try {
                    new NodeWalk(plan(1), 16).run();
                } catch (WalkFailure e) {
                    failure.set(e);
                }
            }
        });
        walker.setDaemon(true);
        walker.start();
        while (walker.isAlive()) {
            LoggerFactory.getLogger("io.verbena.dispatch.Turns").error("what nobody has asked for");
            walker.join(1);
        }
        assertThat(failure.get()).isNotNull().hasMessageContaining("what nobody has asked for");
    }

    // ---- the model notices what a channel might do wrong
    // --------------------------------------------------------------

    private void begin(int messages) {
        for (int i = 0; i < messages; i++) {
            flow.begin(LENGTH);
        }
    }

    private void arrive(int sequence) {
        flow.fill(bytes, 0, sequence, LENGTH);
        flow.peerCloses(); // it may come without its channel
        flow.arrived(target, null, sequence, bytes, 0, LENGTH, 0);
    }

    @Test
    void whatComesOnceWholeAndInOrderIsRight() {
        begin(3);
        arrive(0);
        arrive(1);
        assertThat(flow.received()).isEqualTo(2);
        flow.cancel(2);
    }

    @Test
    void whatComesTwiceOrOutOfOrderIsNoticed() {
        begin(3);
        arrive(0);
        assertThatThrownBy(() -> arrive(0)).isInstanceOf(WalkFailure.class).hasMessageContaining("it came twice");
        assertThatThrownBy(() -> arrive(2)).hasMessageContaining("what was before it is lost");
    }

    @Test
    void whatIsTornOrOfAnotherIsNoticed() {
        begin(2);
        flow.fill(bytes, 0, 0, LENGTH);
        bytes.putByte(9, (byte) ~bytes.getByte(9));
        assertThatThrownBy(() -> flow.arrived(target, null, 0, bytes, 0, LENGTH, 0))
                .hasMessageContaining("byte 9 of message 0");
        assertThatThrownBy(() -> flow.arrived(target, null, 0, bytes, 0, LENGTH - 1, 0))
                .hasMessageContaining("31 bytes came");
        NodeHost.Opening other = new NodeHost.Opening(host, "polled", () -> {});
        assertThatThrownBy(() -> flow.arrived(other, null, 0, bytes, 0, LENGTH, 0))
                .hasMessageContaining("came to a.0/polled");
        flow.fill(bytes, 0, 0, LENGTH);
        assertThatThrownBy(() -> flow.arrived(target, null, 0, bytes, 0, LENGTH, 0))
                .hasMessageContaining("names no channel");
    }

    @Test
    void whatWasRefusedMayNotCome() {
        begin(1);
        arrive(0);
        assertThatThrownBy(() -> flow.cancel(0)).hasMessageContaining("was refused, and arrived");
        assertThatThrownBy(() -> arrive(1)).hasMessageContaining("sent were 1");
    }

    @Test
    void theCommandSaysHowToRunASeedAgain() {
        NodePlan plan = new NodePlan(4711, 40, Ranges.parse("3,7-9"), EnumSet.of(Feature.RESTARTS, Feature.LAZY), true);
        assertThat(plan.replay())
                .isEqualTo("verbena simulate nodes --real --seed 4711 --steps 40 --without 3,7-9 --off restarts,lazy");
        assertThat(new CommandLine(new SimulateNodes()).execute("--seeds", "0")).isEqualTo(2);
        assertThat(new CommandLine(new SimulateNodes()).execute("--seeds", "3")).isZero();
    }
}
