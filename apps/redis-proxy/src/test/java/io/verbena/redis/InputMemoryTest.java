package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large commands have room one after the other, and nobody waits without end. */
@Timeout(180)
class InputMemoryTest {
    private static final long MIB = 1 << 20;

    private final List<String> turns = new ArrayList<>();
    private final InputMemory memory = new InputMemory(
            new Settings(new ProxyContext().maxMemoryClients("64mb").workers(2)));

    private InputMemory.Share share(String name) {
        return new InputMemory.Share(() -> turns.add(name));
    }

    @Test
    void halfOfAWorkersShareIsGivenOut() {
        InputMemory.Share first = share("first");
        InputMemory.Share second = share("second");
        InputMemory.Share third = share("third");
        assertThat(memory.reserve(first, 10 * MIB, 0)).isTrue();
        assertThat(memory.reserve(second, 7 * MIB, 0)).isFalse();
        assertThat(memory.reserve(third, 1 * MIB, 0)).as("behind the second").isFalse();
        memory.goOn(1);
        assertThat(turns).isEmpty();
        assertThat(memory.reserve(first, 9 * MIB, 2)).isTrue();
        memory.goOn(3);
        assertThat(turns).containsExactly("second");
        assertThat(memory.reserve(first, 0, 4)).isTrue();
        memory.goOn(5);
        assertThat(turns).containsExactly("second", "third");
    }

    @Test
    void oneAloneMayHaveMore() {
        InputMemory.Share first = share("first");
        InputMemory.Share second = share("second");
        assertThat(memory.reserve(first, 40 * MIB, 0)).isTrue();
        assertThat(memory.reserve(second, 40 * MIB, 0)).isFalse();
        memory.reserve(first, 0, 1);
        memory.goOn(1);
        assertThat(turns).containsExactly("second");
        memory.reserve(second, 0, 2);
        assertThat(memory.reserve(first, 16 * MIB, 3)).isTrue();
    }

    @Test
    void twoThatNeedMoreDoNotWaitForEachOther() {
        InputMemory.Share first = share("first");
        InputMemory.Share second = share("second");
        assertThat(memory.reserve(first, 8 * MIB, 0)).isTrue();
        assertThat(memory.reserve(second, 8 * MIB, 0)).isTrue();
        assertThat(memory.reserve(first, 16 * MIB, 1)).isFalse();
        assertThat(memory.reserve(second, 16 * MIB, 1)).as("all others wait").isTrue();
        memory.goOn(2);
        assertThat(turns).isEmpty();
        memory.reserve(second, 0, 3);
        memory.goOn(3);
        assertThat(turns).containsExactly("first");
    }

    @Test
    void whoStopsHoldsTheOthersUpForABoundedTime() {
        InputMemory.Share stopped = share("stopped");
        InputMemory.Share next = share("next");
        memory.reserve(stopped, 16 * MIB, 0);
        memory.reserve(next, 16 * MIB, 7);
        memory.goOn(6 + InputMemory.MAX_WAIT_NANOS);
        assertThat(turns).isEmpty();
        memory.goOn(7 + InputMemory.MAX_WAIT_NANOS);
        assertThat(turns).containsExactly("next");
        memory.goOn(TimeUnit.HOURS.toNanos(1));
        assertThat(turns).hasSize(1);
    }

    @Test
    void whoIsGoneLeavesTheLine() {
        InputMemory.Share first = share("first");
        InputMemory.Share gone = share("gone");
        InputMemory.Share last = share("last");
        memory.reserve(first, 16 * MIB, 0);
        memory.reserve(gone, 16 * MIB, 0);
        memory.reserve(last, 1 * MIB, 0);
        memory.reserve(gone, 0, 1);
        memory.reserve(first, 0, 1);
        memory.goOn(1);
        assertThat(turns).containsExactly("last");
        memory.reserve(last, 0, 2);
        assertThat(memory.reserve(gone, 16 * MIB, 3)).isTrue();
    }

    /** Each takes three times the length of its argument, all together far more than clients may have. */
    @Test
    void clientsThatSendLargeArgumentsAtOnceWaitAndAreNotClosed() throws Exception {
        String value = "x".repeat(8 << 20);
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().maxMemoryClients("32mb"))) {
            List<Thread> senders = new ArrayList<>();
            List<String> replies = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 8; i++) {
                String key = "key" + i;
                Thread sender = new Thread(() -> {
                    try (RespClient client = proxy.client()) {
                        replies.add(client.command("APPEND", key, value));
                        replies.add(client.command("MSET", key, value, key + "b", value.substring(0, 4 << 20)));
                    } catch (Exception e) {
                        replies.add(e.toString());
                    }
                });
                sender.start();
                senders.add(sender);
            }
            for (Thread sender : senders) {
                sender.join();
            }
            assertThat(replies).hasSize(16).containsOnly(":" + value.length() + "\r\n", "+OK\r\n");
            assertThat(proxy.server().total(ClientCloseReason.CLIENT_MEMORY)).isZero();
        }
    }
}
