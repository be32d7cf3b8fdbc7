package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A handler that throws for each message is called for the next, and does not fill the log, whoever sends. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class FailingHandlersTest {
    private static final int MESSAGES = 50;
    private static final String REASON = "this handler always throws";

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.verbena");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final AtomicInteger called = new AtomicInteger();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
    }

    private void fail() {
        called.incrementAndGet();
        throw new IllegalStateException(REASON);
    }

    /** Of several nodes in a process the line says whose task it was. */
    @Test
    void aNodesTask() {
        try (Node node = Node.launch(new NodeContext().name("shop"))) {
            CompletableFuture<Void> next = new CompletableFuture<>();
            node.execute(this::fail);
            node.execute(() -> next.complete(null));
            next.orTimeout(20, TimeUnit.SECONDS).join();
        }
        assertThat(log.list)
                .filteredOn(event -> event.getLevel().equals(Level.ERROR))
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).startsWith("node 'shop': a task failed"));
    }

    /** That of messages on the node's thread, or on an executor's. */
    @Test
    void anInboxes() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.INVOKER)) {
            pair.server.openInbox("in").onMessage(m -> fail());
            pair.server.openInbox("there").onMessage(m -> fail(), Runnable::run);
            for (String name : new String[] {"in", "there"}) {
                Channel channel = pair.client.connect(pair.address + name, NodePair.TIMEOUT);
                for (int i = 0; i < MESSAGES; i++) {
                    pair.await(() -> channel.offer(new UnsafeBuffer(new byte[8]), 0, 8) == SendResult.SENT);
                }
            }
            pair.await(() -> called.get() == 2 * MESSAGES);
        }
        assertOneLine();
    }

    /** That of calls: each caller is told. */
    @Test
    void aResponders() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.INVOKER)) {
            pair.server.openResponder("calls").onRequest(r -> fail());
            Requester requester = pair.client.openRequester().pollOnNode();
            Channel channel = requester.connect(pair.address + "calls", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                CompletableFuture<byte[]> answer = requester.call(channel, new byte[8], NodePair.TIMEOUT);
                pair.await(answer::isDone);
                assertThatThrownBy(answer::get).hasMessageContaining(REASON);
            }
        }
        assertThat(called).hasValue(MESSAGES);
        assertOneLine();
    }

    private void assertOneLine() {
        assertThat(log.list.stream().filter(event -> event.getLevel().equals(Level.ERROR)))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getFormattedMessage()).contains("a handler of ", "0 such lines left out");
                    assertThat(event.getThrowableProxy().getMessage()).isEqualTo(REASON);
                });
    }
}
