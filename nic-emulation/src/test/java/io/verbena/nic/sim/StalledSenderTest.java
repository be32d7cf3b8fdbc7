package io.verbena.nic.sim;

import static io.verbena.nic.sim.DirectNodes.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DeregisterResult;
import io.verbena.nic.memory.MemoryRegion;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A sender that is alive and stops at any step of a direct operation, while the owner gives its queue pair to another
 * peer, does nothing in that one's name when it goes on, and takes nothing of what that one is in the middle of.
 */
@Timeout(180)
class StalledSenderTest {
    private static final int MAX_STEPS = 100;
    private static final int NEVER = -1;
    private static final int LATE = -7;
    private static final int FIRST = 1000;

    /**
     * Posts in a thread of its own, which stops at a step of what it does; only one of the test's threads runs at a
     * time.
     */
    private static final class Poster {
        private final Semaphore goes = new Semaphore(0);
        private final Semaphore stopped = new Semaphore(0);
        private int left = NEVER;
        private boolean ended;
        private boolean dies;

        /** Before each step of the poster's. */
        void step(SimNode node) {
            if (left >= 0 && left-- == 0) {
                stopped.release();
                goes.acquireUninterruptibly();
                if (dies) {
                    node.kill();
                }
            }
        }

        /** Posts up to a step; false if it came to its end before. */
        boolean stopsAt(int step, DirectNodes.Host host, QueuePair qp, SendRequest request) {
            left = step;
            Thread thread = new Thread(
                    () -> {
                        try {
                            host.node.act(() -> qp.postSend(request));
                        } finally {
                            left = NEVER;
                            ended = true;
                            stopped.release();
                        }
                    },
                    "poster");
            thread.setDaemon(true);
            thread.start();
            stopped.acquireUninterruptibly();
            return !ended;
        }

        /** Goes on; false if it comes to its end before so many more steps. */
        boolean goesOn(int steps) {
            left = steps;
            goes.release();
            stopped.acquireUninterruptibly();
            return !ended;
        }

        void ends() {
            if (!ended) {
                goesOn(NEVER);
            }
        }

        void dies() {
            dies = true;
            ends();
        }
    }

    private static final class Scene {
        final Poster late = new Poster();
        final Poster next = new Poster();
        final DirectNodes nodes;
        final QueuePair sends;
        final QueuePair receives;
        final QueuePair others;
        final MemoryRegion target; // the owner's

        Scene() {
            nodes = new DirectNodes(late::step, next::step);
            sends = nodes.one.queuePair();
            receives = nodes.owner.queuePair();
            others = nodes.other.queuePair();
            target = nodes.owner.pd.allocate(DirectNodes.LENGTH, Access.ALL);
            nodes.connect(nodes.one, sends, receives);
        }

        /** The owner gives the queue pair to the other. */
        void giveAway() {
            nodes.reset(receives);
            nodes.connect(nodes.other, others, receives);
        }

        SendRequest write(DirectNodes.Host from, MemoryRegion to) {
            return from.request.write(to.key(), 0).local(from.region.key(), 0, DirectNodes.LENGTH);
        }
    }

    private interface Case {
        /** Returns false if there are fewer steps. */
        boolean run(int step);
    }

    private static int eachStep(Case each) {
        int step = 0;
        while (each.run(step)) {
            step++;
            assertThat(step).isLessThan(MAX_STEPS);
        }
        return step;
    }

    /**
     * The late one stops at each of its steps, an append's and a WRITE's. The queue pair is given away, the other stops
     * at each step of its own, and the late one comes to its end.
     */
    private static void eachPairOfSteps(Function<Scene, SendRequest> ofOther, BiConsumer<Scene, String> then) {
        List<Function<Scene, SendRequest>> ofLate = List.of(
                scene -> scene.nodes.one.append(LATE), scene -> scene.write(scene.nodes.one, scene.nodes.owner.region));
        for (Function<Scene, SendRequest> operation : ofLate) {
            int[] pairs = new int[1];
            int steps = eachStep(step -> {
                boolean[] any = new boolean[1];
                eachStep(there -> {
                    Scene scene = new Scene();
                    any[0] = scene.late.stopsAt(step, scene.nodes.one, scene.sends, operation.apply(scene));
                    scene.giveAway();
                    if (!any[0] || !scene.next.stopsAt(there, scene.nodes.other, scene.others, ofOther.apply(scene))) {
                        return false;
                    }
                    scene.late.ends();
                    then.accept(scene, "one at step " + step + ", other at step " + there);
                    pairs[0]++;
                    return true;
                });
                return any[0];
            });
            assertThat(steps).isGreaterThan(5);
            assertThat(pairs[0]).isGreaterThan(2 * steps);
        }
    }

    @Test
    void whatItAppendsIsNoMessageOfTheOthers() {
        int steps = eachStep(step -> {
            Scene scene = new Scene();
            if (!scene.late.stopsAt(step, scene.nodes.one, scene.sends, scene.nodes.one.append(LATE))) {
                return false;
            }
            scene.giveAway();
            scene.nodes.other.node.act(() -> scene.others.postSend(scene.nodes.other.append(FIRST)));
            scene.late.ends();
            scene.nodes.other.sendMany(scene.others);
            scene.nodes.checkNothingIsLeft("step " + step);
            assertThat(scene.nodes.received.indexOf(LATE))
                    .as("step " + step + ": claimed before the queue pair was reset, or not delivered")
                    .isLessThan(1);
            scene.nodes.received.remove((Integer) LATE);
            assertThat(scene.nodes.received).as("step " + step).startsWith(FIRST, 0, 1, 2);
            assertThat(scene.nodes.received).as("step " + step).hasSize(1 + DirectNodes.MANY);
            return true;
        });
        assertThat(steps).isGreaterThan(6);
    }

    @Test
    void aRegionThatTheOtherWritesIsNotGivenBackMeanwhile() {
        byte[] content = new byte[DirectNodes.LENGTH];
        Arrays.fill(content, (byte) 7);
        byte[] untouched = new byte[DirectNodes.LENGTH];
        Arrays.fill(untouched, (byte) 9);
        eachPairOfSteps(
                scene -> {
                    scene.nodes.other.region.buffer().putBytes(0, content);
                    return scene.write(scene.nodes.other, scene.target);
                },
                (scene, where) -> {
                    DeregisterResult[] result = new DeregisterResult[1];
                    scene.nodes.owner.node.act(() -> result[0] = scene.nodes.owner.pd.deregister(scene.target));
                    scene.target.buffer().putBytes(0, untouched); // somebody else's by now, if it is given back
                    scene.next.ends();
                    scene.nodes.run(MILLI);
                    byte[] found = new byte[DirectNodes.LENGTH];
                    scene.target.buffer().getBytes(0, found);
                    if (result[0] == DeregisterResult.DONE) {
                        assertThat(found).as(where).isEqualTo(untouched);
                    }
                });
    }

    @Test
    void aDeadOnesClaimIsClosedAllTheSame() {
        eachPairOfSteps(scene -> scene.nodes.other.append(FIRST), (scene, where) -> {
            scene.next.dies();
            DirectNodes nodes = scene.nodes;
            QueuePair third = nodes.one.queuePair();
            nodes.connect(nodes.one, third, nodes.owner.queuePair());
            nodes.one.sendMany(third);
            nodes.checkNothingIsLeft(where);
            nodes.received.removeAll(List.of(LATE, FIRST));
            assertThat(nodes.received)
                    .as(where)
                    .containsExactlyElementsOf(
                            IntStream.range(0, DirectNodes.MANY).boxed().toList());
        });
    }

    @Test
    void theOthersMessagesComeWhileItStandsStillAgain() {
        int steps = eachStep(step -> eachStep(more -> {
                    Scene scene = new Scene();
                    boolean stopped =
                            scene.late.stopsAt(step, scene.nodes.one, scene.sends, scene.nodes.one.append(LATE));
                    scene.giveAway();
                    if (!stopped || !scene.late.goesOn(more)) {
                        return false;
                    }
                    scene.nodes.other.sendMany(scene.others);
                    scene.late.ends();
                    scene.nodes.checkNothingIsLeft("stops at step " + step + " and " + more + " later");
                    scene.nodes.received.remove((Integer) LATE);
                    assertThat(scene.nodes.received).hasSize(DirectNodes.MANY);
                    return true;
                })
                > 0);
        assertThat(steps).isGreaterThan(5);
    }
}
