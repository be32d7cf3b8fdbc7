package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers that come from elsewhere than the handler, and handlers that fail. */
@Timeout(180)
class ResponderTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CALLS = 20_000;

    private final UnsafeBuffer eight = new UnsafeBuffer(new byte[8]);

    @ParameterizedTest
    @EnumSource
    void anyThreadAnswers(Fabric fabric) {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.openResponder("echo").onRequest(request -> {
                Channel channel = request.channel();
                long id = request.correlationId();
                long asked = request.buffer().getLong(request.offset());
                threads.execute(() -> {
                    UnsafeBuffer answer = new UnsafeBuffer(new byte[8 + (int) (asked % 400)]);
                    answer.putLong(0, asked);
                    while (Responder.reply(channel, id, answer, 0, answer.capacity()) == SendResult.BACK_PRESSURED) {
                        Thread.onSpinWait();
                    }
                });
            });
            Requester requester = pair.client.openRequester(new RequesterOptions().maxOutstanding(64));
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            int[] answers = new int[1];
            for (int i = 0; i < CALLS; i++) {
                long id = i;
                eight.putLong(0, id);
                pair.await(() -> requester.poll(16) >= 0
                        && requester.call(channel, eight, 0, 8, LONG, id, response -> {
                                    assertThat(response.outcome()).isEqualTo(Outcome.DONE);
                                    assertThat(response.buffer().getLong(response.offset()))
                                            .isEqualTo(id);
                                    assertThat(response.length()).isEqualTo(8 + (int) (id % 400));
                                    answers[0]++;
                                })
                                == SendResult.SENT);
            }
            pair.await(() -> requester.poll(16) >= 0 && answers[0] == CALLS);
            assertThat(requester.lateResponses()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void anErrorInAHandlerIsAFailureOfItsCall() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.openResponder("bad").onRequest(request -> {
                throw new AssertionError("no such thing");
            });
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "bad", NodePair.TIMEOUT);
            AtomicReference<Outcome> outcome = new AtomicReference<>();
            AtomicReference<String> text = new AtomicReference<>();
            assertThat(requester.call(channel, eight, 0, 8, NodePair.TIMEOUT, 0, response -> {
                        outcome.set(response.outcome());
                        text.set(response.buffer().getStringWithoutLengthUtf8(response.offset(), response.length()));
                    }))
                    .isEqualTo(SendResult.SENT);
            pair.await(() -> requester.poll(1) >= 0 && outcome.get() != null);
            assertThat(outcome.get()).isEqualTo(Outcome.FAILED);
            assertThat(text.get()).isEqualTo("no such thing");
        }
    }

    /** An error in a handler that the node calls is neither the node's nor that of whoever does its work. */
    @Test
    void anErrorAtTheCallerIsItsCallsOwn() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.INVOKER)) {
            pair.server.openResponder("echo").onRequest(request -> request.reply(eight, 0, 8));
            Requester requester = pair.client.openRequester().pollOnNode();
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            AtomicInteger told = new AtomicInteger();
            for (int i = 0; i < 3; i++) {
                int number = i;
                assertThat(requester.call(channel, eight, 0, 8, NodePair.TIMEOUT, 0, response -> {
                            told.incrementAndGet();
                            throw new AssertionError("no such thing");
                        }))
                        .isEqualTo(SendResult.SENT);
                pair.await(() -> told.get() == number + 1);
            }
        }
    }

    /** Failures that there is no room for at once. */
    @Test
    void everyFailureIsToldInTheEnd() {
        int calls = 1024;
        char[] text = new char[500];
        Arrays.fill(text, 'x');
        AtomicInteger handled = new AtomicInteger();
        InboxOptions small =
                new InboxOptions().chunkLength(64 << 10).maxMessage(1024).memoryLimit(256 << 10);
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Responder responder = pair.server.openResponder("bad");
            responder.onRequest(request -> {
                handled.incrementAndGet();
                throw new IllegalStateException(new String(text));
            });
            Requester requester = pair.client.openRequester(
                    new RequesterOptions().maxOutstanding(calls).responses(small));
            Channel channel = requester.connect(pair.address + "bad", NodePair.TIMEOUT);
            int[] failed = new int[1];
            int[] other = new int[1];
            for (int i = 0; i < calls; i++) {
                int id = i;
                pair.await(() -> requester.call(channel, eight, 0, 8, Duration.ofSeconds(20), id, response -> {
                            if (response.outcome() == Outcome.FAILED && response.length() == text.length) {
                                failed[0]++;
                            } else {
                                other[0]++;
                            }
                        })
                        == SendResult.SENT);
            }
            pair.await(() -> handled.get() == calls); // and nobody has polled: no room for all failures
            pair.await(() -> requester.poll(64) >= 0 && failed[0] + other[0] == calls);
            assertThat(other[0]).isZero();
            assertThat(responder.unanswered()).isZero();
        }
    }
}
