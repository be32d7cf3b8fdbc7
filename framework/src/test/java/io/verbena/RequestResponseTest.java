package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RequestResponseTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(50);
    /** Between deadlines. */
    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(60);

    private final UnsafeBuffer eight = new UnsafeBuffer(new byte[8]);

    static Stream<Arguments> everywhere() {
        return Stream.of(Fabric.values())
                .flatMap(fabric -> Stream.of(NodeMode.values()).map(mode -> Arguments.of(fabric, mode)));
    }

    private static void echo(Request request) {
        while (request.reply(request.buffer(), request.offset(), request.length()) == SendResult.BACK_PRESSURED) {
            Thread.onSpinWait();
        }
    }

    private SendResult call(Requester requester, Channel channel, long id, Duration timeout, ResponseHandler handler) {
        eight.putLong(0, id);
        return requester.call(channel, eight, 0, 8, timeout, id, handler);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void answersManyCallsEachOnce(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            pair.server.openResponder("echo").onRequest(RequestResponseTest::echo);
            Requester requester = pair.client.openRequester(new RequesterOptions().maxOutstanding(64));
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            int calls = 10_000;
            BitSet answered = new BitSet();
            ResponseHandler handler = response -> {
                assertThat(response.outcome()).isEqualTo(Outcome.DONE);
                assertThat(response.length()).isEqualTo(8);
                assertThat(response.offset() & 7).isZero();
                assertThat(response.channel()).isSameAs(channel);
                long id = response.buffer().getLong(response.offset());
                assertThat(response.correlationId()).isEqualTo(id);
                assertThat(answered.get((int) id)).isFalse();
                answered.set((int) id);
            };
            for (int i = 0; i < calls; i++) {
                int id = i;
                pair.await(() ->
                        requester.poll(16) >= 0 && call(requester, channel, id, LONG, handler) == SendResult.SENT);
            }
            pair.await(() -> requester.poll(16) >= 0 && answered.cardinality() == calls);
            assertThat(requester.outstanding()).isZero();
            assertThat(requester.lateResponses()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void callsThatLeaveTogetherAreAnsweredInOrder(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            pair.server.openResponder("echo").onRequest(RequestResponseTest::echo);
            Requester requester = pair.client.openRequester(new RequesterOptions().maxOutstanding(64));
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            List<Long> answers = new ArrayList<>();
            ResponseHandler handler = response -> answers.add(response.buffer().getLong(response.offset()));
            List<Long> expected = new ArrayList<>();
            for (long round = 0; round < 20; round++) {
                for (long i = 0; i < 32; i++) {
                    long id = round * 32 + i;
                    expected.add(id);
                    eight.putLong(0, id);
                    pair.await(() -> requester.enqueue(channel, eight, 0, 8, LONG, id, handler) == SendResult.SENT);
                }
                channel.flush();
                pair.await(() -> requester.poll(64) >= 0 && answers.size() == expected.size());
            }
            assertThat(answers).isEqualTo(expected);
        }
    }

    /** Answers that were enqueued leave when the batch ends, also one whose last message is no request. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void enqueuedAnswersLeaveWithTheirBatch(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            Responder responder = pair.server.openResponder("service");
            responder.onRequest(request -> {
                while (request.enqueue(request.buffer(), request.offset(), request.length())
                        == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
            });
            Requester requester = pair.client.openRequester(new RequesterOptions().maxOutstanding(64));
            Channel channel = requester.connect(pair.address + "service", NodePair.TIMEOUT);
            Channel other = requester.connect(pair.address + "service", NodePair.TIMEOUT);
            AtomicInteger done = new AtomicInteger();
            for (int round = 1; round <= 20; round++) {
                int answers = round * 32;
                for (int id = 0; id < 32; id++) {
                    Channel by = id % 5 == 0 ? other : channel;
                    long name = id;
                    pair.await(() -> requester.enqueue(by, eight, 0, 8, LONG, name, response -> done.incrementAndGet())
                            == SendResult.SENT);
                }
                pair.await(() -> channel.enqueue(eight, 0, 1) == SendResult.SENT); // no request
                channel.flush();
                other.flush();
                pair.await(() -> requester.poll(64) >= 0 && done.get() == answers);
            }
            pair.await(() -> responder.malformed() == 20);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void nodePollsWhereItIsTold(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            pair.server.openResponder("echo").onRequest(RequestResponseTest::echo);
            Responder silent = pair.server.openResponder("silent");
            Requester requester = pair.client.openRequester().pollOnNode();
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            Channel nobody = requester.connect(pair.address + "silent", NodePair.TIMEOUT);
            AtomicInteger done = new AtomicInteger();
            AtomicInteger expired = new AtomicInteger();
            for (int i = 0; i < 2_000; i++) {
                int id = i;
                pair.await(() -> call(requester, channel, id, LONG, r -> done.incrementAndGet()) == SendResult.SENT);
            }
            pair.await(() -> done.get() == 2_000);
            pair.await(() -> call(requester, nobody, 1, SHORT, r -> expired.incrementAndGet()) == SendResult.SENT);
            pair.await(() -> expired.get() == 1);
            assertThat(silent.name()).isEqualTo("silent");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void answersLaterAndInAnyOrder(Fabric fabric, NodeMode mode) {
        record Kept(Channel channel, long correlationId, long value) {}
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.ASSISTED), fabric.context(mode))) {
            Responder responder = pair.server.openResponder("service");
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "service", NodePair.TIMEOUT);
            List<Long> answers = new ArrayList<>();
            for (long id = 0; id < 100; id++) {
                call(requester, channel, id, LONG, response -> {
                    assertThat(response.buffer().getLong(response.offset())).isEqualTo(response.correlationId() * 3);
                    answers.add(response.correlationId());
                });
            }
            List<Kept> kept = new ArrayList<>();
            RequestHandler keep = request -> kept.add(new Kept(
                    request.channel(), request.correlationId(), request.buffer().getLong(request.offset())));
            pair.await(() -> responder.poll(keep, 10) >= 0 && kept.size() == 100);
            Collections.reverse(kept);
            for (Kept one : kept) {
                eight.putLong(0, one.value * 3);
                pair.await(() -> Responder.reply(one.channel, one.correlationId, eight, 0, 8) == SendResult.SENT);
            }
            pair.await(() -> requester.poll(16) >= 0 && answers.size() == 100);
            assertThat(answers).isSortedAccordingTo(Collections.reverseOrder());
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void dropsAndCountsWhatComesLate(Fabric fabric) {
        record Kept(Channel channel, long correlationId) {}
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Responder responder = pair.server.openResponder("slow");
            Requester requester = pair.client.openRequester(new RequesterOptions().maxOutstanding(1));
            Channel channel = requester.connect(pair.address + "slow", NodePair.TIMEOUT);
            List<Outcome> outcomes = new ArrayList<>();
            List<Kept> kept = new ArrayList<>();
            RequestHandler keep = request -> kept.add(new Kept(request.channel(), request.correlationId()));
            ResponseHandler note = response -> outcomes.add(response.outcome());
            assertThat(call(requester, channel, 1, SHORT, note)).isEqualTo(SendResult.SENT);
            assertThat(call(requester, channel, 2, SHORT, note)).isEqualTo(SendResult.BACK_PRESSURED);
            pair.await(() -> requester.poll(1) == 1);
            assertThat(outcomes).containsExactly(Outcome.EXPIRED);

            // The next call has the slot of the first; the answer to the first must not be taken for its own.
            assertThat(call(requester, channel, 3, LONG, note)).isEqualTo(SendResult.SENT);
            pair.await(() -> responder.poll(keep, 10) >= 0 && kept.size() == 2);
            Responder.reply(kept.get(0).channel, kept.get(0).correlationId, eight, 0, 8);
            pair.await(() -> requester.poll(1) >= 0 && requester.lateResponses() == 1);
            assertThat(outcomes).hasSize(1);
            Responder.reply(kept.get(1).channel, kept.get(1).correlationId, eight, 0, 8);
            pair.await(() -> requester.poll(1) == 1);
            assertThat(outcomes).containsExactly(Outcome.EXPIRED, Outcome.DONE);
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void expiresInTheOrderOfDeadlines(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.openResponder("silent");
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "silent", NodePair.TIMEOUT);
            List<Long> expired = new ArrayList<>();
            long pause = STEP;
            for (int attempt = 0; attempt < 20 && pause >= STEP; attempt++) { // which would change their order
                expired.clear();
                long begin = System.nanoTime();
                for (long id : new long[] {4, 2, 5, 1, 3}) {
                    call(requester, channel, id, Duration.ofNanos(id * STEP), response -> {
                        assertThat(response.outcome()).isEqualTo(Outcome.EXPIRED);
                        expired.add(response.correlationId());
                    });
                }
                pause = System.nanoTime() - begin;
                pair.await(() -> {
                    requester.await(LONG); // ends at the deadlines
                    return requester.poll(1) >= 0 && expired.size() == 5;
                });
            }
            assertThat(pause).as("between the first call and the last").isLessThan(STEP);
            assertThat(expired).containsExactly(1L, 2L, 3L, 4L, 5L);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void endsAllCallsWithThePeersNode(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            pair.server.openResponder("silent");
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "silent", NodePair.TIMEOUT);
            List<Outcome> outcomes = new ArrayList<>();
            for (int id = 0; id < 50; id++) {
                call(requester, channel, id, LONG, response -> outcomes.add(response.outcome()));
            }
            pair.closeServer();
            pair.await(() -> requester.poll(1) >= 0 && outcomes.size() == 50);
            assertThat(outcomes).containsOnly(Outcome.CLOSED);
            assertThat(channel.closeReason()).isIn(CloseReason.CLOSED_BY_PEER, CloseReason.PEER_LOST);
            assertThat(call(requester, channel, 1, LONG, response -> {})).isEqualTo(SendResult.CLOSED);
        }
    }

    @Test
    void tellsTheCallerThatTheHandlerFailed() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.ASSISTED)) {
            pair.server.openResponder("bad").onRequest(request -> {
                throw new IllegalArgumentException("no such order: 17");
            });
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "bad", NodePair.TIMEOUT);
            List<String> failures = new ArrayList<>();
            call(requester, channel, 1, LONG, response -> {
                assertThat(response.outcome()).isEqualTo(Outcome.FAILED);
                failures.add(response.failure());
            });
            pair.await(() -> requester.poll(1) == 1);
            assertThat(failures).containsExactly("no such order: 17");
        }
    }

    @Test
    void refusesWhatTheResponderCannotTake() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.openResponder("small", new InboxOptions().maxMessage(64));
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "small", NodePair.TIMEOUT);
            UnsafeBuffer tooLong = new UnsafeBuffer(new byte[49]);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> requester.call(channel, tooLong, 0, 49, LONG, 1, response -> {}))
                    .withMessageContaining("message of 65 bytes > maximum 64");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> requester.call(channel, tooLong, 0, 48, Duration.ZERO, 1, response -> {}))
                    .withMessage("timeout 0 < minimum 1 ns");
            assertThat(requester.outstanding()).isZero();
            assertThat(requester.call(channel, tooLong, 0, 48, LONG, 1, response -> {}))
                    .isEqualTo(SendResult.SENT);
        }
    }

    @Test
    void countsWhatIsNoRequest() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Responder responder = pair.server.openResponder("echo");
            responder.onRequest(RequestResponseTest::echo);
            Channel channel = pair.client.connect(pair.address + "echo", NodePair.TIMEOUT);
            channel.offer(new UnsafeBuffer(new byte[15]), 0, 15);
            channel.offer(new UnsafeBuffer(new byte[64]), 0, 64);
            pair.await(() -> responder.malformed() == 2);
        }
    }

    @Test
    void closingEndsWhatIsOutstanding() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.openResponder("silent");
            for (boolean onNode : new boolean[] {false, true}) {
                Requester requester = pair.client.openRequester();
                if (onNode) {
                    requester.pollOnNode();
                }
                Channel channel = requester.connect(pair.address + "silent", NodePair.TIMEOUT);
                ArrayDeque<Outcome> outcomes = new ArrayDeque<>();
                AtomicInteger ended = new AtomicInteger();
                call(requester, channel, 1, LONG, response -> {
                    outcomes.add(response.outcome());
                    ended.incrementAndGet();
                });
                requester.close();
                requester.close();
                if (!onNode) {
                    assertThat(requester.poll(1)).isEqualTo(1);
                }
                pair.await(() -> ended.get() == 1);
                assertThat(outcomes).containsExactly(Outcome.CLOSED);
            }
        }
    }
}
