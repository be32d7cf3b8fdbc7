package io.verbena.kv.server;

import io.verbena.Channel;
import io.verbena.SendResult;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableDirectByteBuffer;

/**
 * One client's replies: sent as they come; what the client does not take yet waits in a backlog of its own, so that it
 * holds up nobody else. A backlog over its limit disconnects the client.
 *
 * <p>Used by the shard's owner alone.
 */
final class ReplyTarget {
    /** Greatest backlog in bytes: twice that and a message still have offsets of 31 bits. */
    static final int MAX_BACKLOG = 896 << 20;

    private static final int LENGTH_FIELD = Integer.BYTES;
    private static final int INITIAL_CAPACITY = 256;
    private static final int RETAINED_CAPACITY = 1 << 20;

    final Channel channel;
    private final long maxBacklog;
    private ExpandableDirectByteBuffer backlog = new ExpandableDirectByteBuffer(INITIAL_CAPACITY);
    private int head;
    private int tail;
    boolean unflushed; // is in the runner's list of those with replies to flush
    boolean waiting; // is in the runner's list of those with a backlog

    ReplyTarget(Channel channel, long maxBacklog) {
        this.channel = channel;
        this.maxBacklog = maxBacklog;
    }

    /** Whether replies wait here. */
    boolean isStalled() {
        return head < tail;
    }

    /** Sends a reply, or keeps it. @return false if the client is too far behind and has been disconnected */
    boolean send(DirectBuffer buffer, int offset, int length) {
        if (!isStalled() && channel.enqueue(buffer, offset, length) != SendResult.BACK_PRESSURED) {
            return true; // sent, or closed: then there is nobody to keep it for
        }
        if (tail - head + (long) LENGTH_FIELD + length > maxBacklog) {
            channel.close();
            clear();
            return false;
        }
        if (head > tail - head) {
            // Each byte moves once at most for each that was sent.
            backlog.putBytes(0, backlog, head, tail - head);
            tail -= head;
            head = 0;
        }
        backlog.putInt(tail, length);
        backlog.putBytes(tail + LENGTH_FIELD, buffer, offset, length);
        tail += LENGTH_FIELD + length;
        return true;
    }

    /** Sends what was kept. @return replies sent */
    int drain() {
        int sent = 0;
        while (head < tail) {
            int length = backlog.getInt(head);
            if (channel.enqueue(backlog, head + LENGTH_FIELD, length) == SendResult.BACK_PRESSURED) {
                break;
            }
            head += LENGTH_FIELD + length;
            sent++;
        }
        if (head == tail) {
            clear();
        }
        if (sent > 0) {
            channel.flush();
        }
        return sent;
    }

    private void clear() {
        head = 0;
        tail = 0;
        if (backlog.capacity() > RETAINED_CAPACITY) {
            ByteBuffer large = backlog.byteBuffer();
            backlog = new ExpandableDirectByteBuffer(INITIAL_CAPACITY);
            BufferUtil.free(large);
        }
    }
}
