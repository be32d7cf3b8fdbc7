package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.epoll.AbstractEpollStreamChannel;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An epoll channel's socket without the channel: one system call a message where nothing else waits. Bytes are in order
 * with those that go by the channel as long as the channel has read or written nothing else at the time, which is for
 * the caller to see to.
 *
 * <p>What goes wrong here goes wrong in the channel too, on its next call: it is the one that reports it and closes.
 *
 * <p>Concurrency: of the loop's owner, who also is the only one to close the channel: a descriptor cannot become
 * another file's in the middle of a call. {@link #tryWrite} is for any one thread, while the owner writes nothing; the
 * {@link CloseGuard} keeps him from closing meanwhile.
 */
final class DirectSocket {
    private final Channel channel;
    private final Socket socket;
    private final CloseGuard guard;

    private DirectSocket(Channel channel, Socket socket, CloseGuard guard) {
        this.channel = channel;
        this.socket = socket;
        this.guard = guard;
    }

    /** That of a channel, or null if it has none that can be used so. By the owner. */
    static @Nullable DirectSocket of(Channel channel, CloseGuard guard) {
        if (channel instanceof AbstractEpollStreamChannel epoll
                && epoll.fd() instanceof Socket socket
                && Buffer.addressSize() == Long.BYTES) {
            guard.guard(channel);
            return new DirectSocket(channel, socket, guard);
        }
        return null;
    }

    /**
     * Reads what is there.
     *
     * @return bytes; 0 if there is nothing now; -1 if the connection has ended or failed
     */
    int read(long address, int length) {
        if (!channel.isOpen()) {
            return -1;
        }
        try {
            return socket.recvAddress(address, 0, length);
        } catch (IOException e) {
            return -1; // the channel finds the same, and reports it
        }
    }

    /**
     * Writes as much as the socket takes.
     *
     * @return bytes, 0 if it takes nothing now or has failed
     */
    int write(long address, int from, int to) {
        if (!channel.isOpen()) {
            return 0;
        }
        try {
            return Math.max(0, socket.sendAddress(address, from, to));
        } catch (IOException e) {
            return 0; // as above
        }
    }

    /**
     * As {@link #write(long, int, int)}, by a thread that is not the loop's owner.
     *
     * @return bytes; also 0 if a socket is being closed, or a third thread writes
     */
    int tryWrite(long address, int from, int to) {
        if (!guard.tryEnter()) {
            return 0;
        }
        try {
            return write(address, from, to);
        } finally {
            guard.leave();
        }
    }

    /**
     * Writes as much as the socket takes of several pieces.
     *
     * @param vector where the pieces' addresses and lengths are, as {@code struct iovec}
     * @return bytes, 0 if it takes nothing now or has failed
     */
    long write(long vector, int pieces) {
        if (!channel.isOpen()) {
            return 0;
        }
        try {
            return Math.max(0, socket.writevAddresses(vector, pieces));
        } catch (IOException e) {
            return 0; // as above
        }
    }
}
