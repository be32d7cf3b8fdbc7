package io.verbena.bench.check.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.check.redis.FakeServer.Fault;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The check can fail: each way in which a server misbehaves is detected and named. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class FaultsTest {
    @Test
    void passesWithAServerThatBehaves() throws Exception {
        try (FakeServer server = new FakeServer(Fault.NONE, 0)) {
            RedisCheckContext context = context(server, 20);
            RedisCheckResult result = new RedisCheck(context, line -> {}, () -> null).run();
            assertThat(result.failure()).isNull();
            assertThat(String.join("\n", result.summary())).contains("get-own-100-deep", "incr-1000-deep");
        }
    }

    @Test
    void namesTheOwnerOfAValueThatAnotherGets() throws Exception {
        assertThat(failure(Fault.SWAPPED_REPLIES, 700))
                .containsPattern("command +GET vck")
                .contains("this value belongs to connection ", ", key k", ", version ")
                .contains("--seed 7");
    }

    @Test
    void missesAWriteThatWasAcknowledged() throws Exception {
        assertThat(failure(Fault.LOST_WRITE, 300))
                .containsPattern("command +GET vck")
                .containsPattern("got +nil");
    }

    @Test
    void seesACounterThatAnswersTwiceTheSame() throws Exception {
        assertThat(failure(Fault.REPEATED_COUNTER, 2000))
                .containsPattern("command +INCR vck")
                .containsPattern("expected +:\\d+\n +got +:\\d+");
    }

    @Test
    void doesNotWaitForEver() throws Exception {
        assertThat(failure(Fault.STALL, 250))
                .containsPattern("command +SET vck")
                .contains("no answer for ");
    }

    @Test
    void seesAConnectionThatIsClosedEarly() throws Exception {
        assertThat(failure(Fault.CLOSE, 250)).containsPattern("the (server closed the )?connection (broke )?with \\d+");
    }

    @Test
    void findsWhereAValueIsTorn() throws Exception {
        assertThat(failure(Fault.TORN_VALUE, 700)).contains("differs from byte ", "this value belongs to connection ");
    }

    @Test
    void seesAValueThatIsShort() throws Exception {
        assertThat(failure(Fault.SHORT_VALUE, 700))
                .containsPattern("\\(64 bytes\\)|\"c00")
                .contains("expected");
    }

    @Test
    void seesAReplyTooMany() throws Exception {
        assertThat(failure(Fault.SUPERFLUOUS_REPLY, 450)).containsPattern("got +(\\+OK|more came|bytes that nobody)");
    }

    @Test
    void seesAKeyThatNobodyHasSet() throws Exception {
        assertThat(failure(Fault.STRAY_KEY, 300))
                .containsPattern("command +DBSIZE")
                .contains("from 0 to 0");
    }

    @Test
    void refusalsAreFailuresUnlessAllowed() throws Exception {
        assertThat(failure(Fault.FALSE_REFUSAL, 300)).containsPattern("got +-OOM");
    }

    @Test
    void aRefusedWriteMustNotHaveHappened() throws Exception {
        try (FakeServer server = new FakeServer(Fault.FALSE_REFUSAL, 300)) {
            RedisCheckContext context = context(server, 20);
            context.allowOom = true;
            assertThat(new RedisCheck(context, line -> {}, () -> null).run().failure())
                    .containsPattern("command +(GET|DEL|TTL) vck");
        }
    }

    @Test
    void saysWhatElseIsWrongWithTheServer() throws Exception {
        try (FakeServer server = new FakeServer(Fault.NONE, 0)) {
            assertThat(new RedisCheck(context(server, 20), line -> {}, () -> "it has ended")
                            .run()
                            .failure())
                    .startsWith("it has ended");
        }
    }

    private static String failure(Fault fault, int at) throws IOException, InterruptedException {
        try (FakeServer server = new FakeServer(fault, at)) {
            RedisCheckContext context = context(server, fault == Fault.STALL ? 3 : 20);
            RedisCheckResult result = new RedisCheck(context, line -> {}, () -> null).run();
            assertThat(server.hasHappened()).as("the fault happened").isTrue();
            assertThat(result.failure()).as("failure").isNotNull();
            return result.failure();
        }
    }

    private static RedisCheckContext context(FakeServer server, int stallSeconds) {
        RedisCheckContext made = new RedisCheckContext().address("127.0.0.1", server.port());
        made.own = true;
        new CommandLine(made)
                .parseArgs(("--seed 7 --seconds 1 --clients 30 --threads 1 --stall " + stallSeconds + " --scenario"
                                + " get-own-100-deep,set-100-bytes-100-deep,incr-1000-deep")
                        .split(" "));
        return made;
    }
}
