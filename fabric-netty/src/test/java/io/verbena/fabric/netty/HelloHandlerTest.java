package io.verbena.fabric.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.verbena.fabric.HelloFlyweight;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hello and the time it may take, on a clock that the test moves. */
@Timeout(180)
class HelloHandlerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final StringBuilder outcome = new StringBuilder();
    private final MockTicker ticker = Ticker.newMockTicker();
    private final EmbeddedChannel channel = EmbeddedChannel.builder()
            .ticker(ticker)
            .handlers(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel made) {
                    HelloHandler.install(made, 0, TIMEOUT, 65536, new HelloHandler.Outcome() {
                        @Override
                        public String onHello(Channel from, UnsafeBuffer hello) {
                            outcome.append("hello of ").append(HelloFlyweight.nicId(hello));
                            return null;
                        }

                        @Override
                        public void onRefused(Channel from, String reason) {
                            outcome.append(reason);
                        }
                    });
                }
            })
            .build();

    @AfterEach
    void end() {
        channel.finishAndReleaseAll();
    }

    private void pass(long millis) {
        ticker.advanceMillis(millis);
        channel.runScheduledPendingTasks();
    }

    private void sayHello() {
        UnsafeBuffer hello = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH]);
        HelloFlyweight.encode(hello, HelloFlyweight.CALL, 42, 0, 0, 16384, 0, "");
        channel.writeInbound(Unpooled.wrappedBuffer(hello.byteArray()));
    }

    @Test
    void silenceEndsWithTheTime() {
        for (int i = 0; i < 49; i++) {
            pass(100);
        }
        assertThat(channel.isOpen()).as("before").isTrue();
        for (int i = 0; i < 10; i++) {
            pass(100);
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(outcome).hasToString("hello unfinished after 5000 ms: 0 of 112 bytes");
    }

    @Test
    void aHelloThatIsWaitingWhenASleepEndsIsTaken() {
        pass(2_000);
        pass(3_600_000); // neither side ran
        assertThat(channel.isOpen()).isTrue();
        pass(100);
        sayHello();
        assertThat(outcome).hasToString("hello of 42");
        pass(10_000);
        assertThat(channel.isOpen()).as("its timer is gone").isTrue();
    }

    @Test
    void aLoopThatIsSeldomDrivenEndsIt() {
        for (int i = 0; i < 4; i++) {
            pass(3_600_000);
        }
        assertThat(outcome).hasToString("hello unfinished after 5000 ms: 0 of 112 bytes");
    }
}
