package io.verbena.fabric.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.Nanos;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The first handler of each connection: takes the peer's hellos and nothing else, in bounded time, and refuses what
 * does not parse at the first byte that is wrong. The fabric then replaces it.
 *
 * <p>The time runs while this side is driven: where the process was stopped, or whoever drives the loop had other
 * things to do, the peer's hello may be under way all the same, and the peer itself may have stood still with it.
 *
 * <p>Of the loop's owner alone.
 */
public final class HelloHandler extends ChannelInboundHandlerAdapter {
    /** What follows a hello. */
    public interface Outcome {
        /** Returned by {@link #onHello}: another hello is to follow, or {@link HelloHandler#end}. */
        String MORE = "more";

        /** Returned by {@link #onHello}: the connection is not needed, which is nobody's fault. */
        String CLOSE = "close";

        /**
         * A hello is there and well formed; the channel's next bytes go to whatever handler this puts in place.
         *
         * @param channel it came by
         * @param hello its bytes, see {@link HelloFlyweight}
         * @return the reason to refuse it after all, {@link #MORE}, {@link #CLOSE}, or null if it was the last
         */
        @Nullable
        String onHello(Channel channel, UnsafeBuffer hello);

        /**
         * The peer was refused or went away before its hello was done; the channel is being closed.
         *
         * @param channel it came by
         * @param reason what was wrong
         */
        void onRefused(Channel channel, String reason);
    }

    /**
     * The time is looked at in so many parts; a part that took longer, because nobody drove the loop, counts as two.
     */
    private static final int PARTS = 8;

    private final UnsafeBuffer hello;
    private final int maxText;
    private final Duration timeout;
    private final ReceiveBufferSizer sizer;
    private final Outcome outcome;
    private int received;
    private int expected = HelloFlyweight.HEADER_LENGTH;
    private boolean hadHello;
    private boolean done;
    private long left; // of the time, in nanoseconds
    private long lookedAt;
    private @Nullable ScheduledFuture<?> timer;

    private HelloHandler(int maxText, Duration timeout, ReceiveBufferSizer sizer, Outcome outcome) {
        this.hello = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH]);
        this.maxText = maxText;
        this.timeout = timeout;
        this.sizer = sizer;
        this.outcome = outcome;
    }

    /**
     * Puts a hello handler, and receive buffers of the hello's size, on a new channel.
     *
     * @param channel that has no handlers yet
     * @param maxText most bytes of text in the hello
     * @param timeout in which each hello must be there
     * @param maxReceiveBuffer bytes of the largest receive buffer afterwards
     * @param outcome what follows
     */
    public static void install(Channel channel, int maxText, Duration timeout, int maxReceiveBuffer, Outcome outcome) {
        install(channel, maxText, timeout, new ReceiveBufferSizer(maxReceiveBuffer, () -> false, true), outcome);
    }

    /** As the other, with receive buffers that a sizer of the caller's gives. */
    static void install(Channel channel, int maxText, Duration timeout, ReceiveBufferSizer sizer, Outcome outcome) {
        channel.config().setRecvByteBufAllocator(sizer);
        channel.pipeline().addLast("hello", new HelloHandler(maxText, timeout, sizer, outcome));
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        left = Nanos.of(timeout);
        lookAtTime(context);
        context.fireChannelActive();
    }

    private void lookAtTime(ChannelHandlerContext context) {
        lookedAt = context.executor().ticker().nanoTime();
        timer = context.executor().schedule(() -> partIsOver(context), Math.min(part(), left), TimeUnit.NANOSECONDS);
    }

    private long part() {
        return Math.max(1, Nanos.of(timeout) / PARTS);
    }

    private void partIsOver(ChannelHandlerContext context) {
        left -= Math.min(context.executor().ticker().nanoTime() - lookedAt, 2 * part());
        if (left > 0) {
            lookAtTime(context);
        } else {
            refuse(
                    context,
                    (hadHello ? "hello unconfirmed after " : "hello unfinished after ") + timeout.toMillis() + " ms: "
                            + received + " of " + expected + " bytes");
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            take(context, bytes);
        } finally {
            bytes.release();
        }
    }

    private void take(ChannelHandlerContext context, ByteBuf bytes) {
        while (!done && bytes.isReadable()) {
            int length = Math.min(expected - received, bytes.readableBytes());
            bytes.readBytes(hello.byteArray(), received, length);
            received += length;
            String defect = HelloFlyweight.defect(hello, received, maxText);
            if (defect != null) {
                refuse(context, defect);
            } else if (received == expected) {
                headerOrAllReceived(context, bytes);
            } else {
                sizer.missingOfHello(expected - received);
            }
        }
    }

    private void headerOrAllReceived(ChannelHandlerContext context, ByteBuf bytes) {
        int textLength = HelloFlyweight.textLength(hello);
        if (expected == HelloFlyweight.HEADER_LENGTH && textLength > 0) {
            expected += textLength;
            byte[] whole = new byte[expected];
            hello.getBytes(0, whole, 0, HelloFlyweight.HEADER_LENGTH);
            hello.wrap(whole);
            sizer.missingOfHello(textLength);
            return;
        }
        String reason = outcome.onHello(context.channel(), hello);
        hadHello = true;
        if (done) {
            return; // the outcome has ended it
        }
        if (Outcome.MORE.equals(reason)) {
            received = 0;
            expected = HelloFlyweight.HEADER_LENGTH;
            sizer.missingOfHello(expected);
            left = Nanos.of(timeout); // the next has as much
        } else if (Outcome.CLOSE.equals(reason)) {
            stop();
            context.close();
        } else if (reason != null) {
            refuse(context, reason);
        } else {
            remove(context);
            if (bytes.isReadable()) {
                context.fireChannelRead(bytes.readRetainedSlice(bytes.readableBytes()));
            }
        }
    }

    private void remove(ChannelHandlerContext context) {
        stop();
        sizer.missingOfHello(0);
        context.pipeline().remove(this);
    }

    /**
     * No other hello is to follow on a channel whose outcome has said {@link Outcome#MORE}; its next bytes go to the
     * handler that is in place.
     */
    static void end(Channel channel) {
        ChannelHandlerContext context = channel.pipeline().context(HelloHandler.class);
        if (context != null) {
            ((HelloHandler) context.handler()).remove(context);
        }
    }

    /** Refuses the peer of a channel that is in its hello, for a reason that is not its hello's. */
    static void refuse(Channel channel, String reason) {
        ChannelHandlerContext context = channel.pipeline().context(HelloHandler.class);
        if (context != null) {
            ((HelloHandler) context.handler()).refuse(context, reason);
        }
        channel.close();
    }

    /** A channel whose outcome has said {@link Outcome#MORE} is not needed, which is nobody's fault: closes it. */
    static void close(Channel channel) {
        ChannelHandlerContext context = channel.pipeline().context(HelloHandler.class);
        if (context != null) {
            ((HelloHandler) context.handler()).stop();
        }
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended(context);
        context.fireChannelInactive();
    }

    private void ended(ChannelHandlerContext context) {
        refuse(
                context,
                received == 0
                        ? hadHello
                                ? "closed before it confirmed its hello"
                                : "closed before its hello; if it refused this side, its log says why"
                        : "closed after " + received + " of " + expected + " bytes of its hello");
    }

    /** End of file, on channels that may be half closed. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            ended(context);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        refuse(context, "connection failed in its hello: " + cause.getMessage());
    }

    private void refuse(ChannelHandlerContext context, String reason) {
        if (!done) {
            stop();
            outcome.onRefused(context.channel(), reason);
            context.close();
        }
    }

    private void stop() {
        done = true;
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
