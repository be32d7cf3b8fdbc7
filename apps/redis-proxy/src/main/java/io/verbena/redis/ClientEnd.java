package io.verbena.redis;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Why a client's connection ends, and how it is closed behind its last reply. */
final class ClientEnd {
    private static final int LINGER_MILLIS = 200;

    private final Channel channel;
    private @Nullable ClientCloseReason reason;
    private String detail = "";
    private boolean lastWriteQueued;

    ClientEnd(Channel channel) {
        this.channel = channel;
    }

    /** Notes why; the first reason holds. */
    void because(ClientCloseReason why, String what) {
        if (reason == null) {
            reason = why;
            detail = what;
        }
    }

    /** Why; without any other reason the client has closed. */
    ClientCloseReason reason() {
        return reason == null ? ClientCloseReason.CLIENT : reason;
    }

    String detail() {
        return detail;
    }

    /**
     * Closes behind what is still to be written.
     *
     * @param inputShut whether the client sends no more; asked when all is written
     */
    void closeBehindOutput(BooleanSupplier inputShut) {
        if (lastWriteQueued) {
            return;
        }
        lastWriteQueued = true;
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            if (reason == ClientCloseReason.PROTOCOL_ERROR
                    && !inputShut.getAsBoolean()
                    && channel instanceof DuplexChannel duplex
                    && duplex.isActive()
                    && !duplex.isInputShutdown()) {
                // Closing with bytes unread would reset the connection, and the client would not see why.
                duplex.shutdownOutput();
                channel.config().setAutoRead(channel.isOpen());
                channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
    }
}
