package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the sockets of a loop open while a thread other than the loop's owner writes to one: a descriptor that is
 * closed may be another file's a moment later. The owner holds it while a close runs through a guarded channel's
 * pipeline, and while the waiter closes the loop. So that a guarded channel is closed in no other way, unless epoll
 * itself fails, Netty only tells that its input has ended or its output has failed, and this closes it.
 *
 * <p>Thread-safe. Nobody but the owner waits here, for one system call that does not block; so it may hold other locks.
 */
@ChannelHandler.Sharable
final class CloseGuard extends ChannelDuplexHandler {
    private final ReentrantLock lock = new ReentrantLock();

    /** From now on a channel is closed under guard only; by the owner. */
    void guard(Channel channel) {
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setOption(ChannelOption.AUTO_CLOSE, false);
        channel.pipeline().addFirst(this);
    }

    /**
     * Another thread than the owner is about to write.
     *
     * @return false if something is being closed, or a third thread writes; otherwise {@link #leave} must follow
     */
    boolean tryEnter() {
        return lock.tryLock();
    }

    /** It has written. */
    void leave() {
        lock.unlock();
    }

    /** Runs something that closes sockets; by the owner, or after he has ended. */
    void run(Runnable closing) {
        lock.lock();
        try {
            closing.run();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        run(() -> context.close(promise));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE || event == ChannelOutputShutdownEvent.INSTANCE) {
            context.channel().close();
        }
        context.fireUserEventTriggered(event);
    }
}
