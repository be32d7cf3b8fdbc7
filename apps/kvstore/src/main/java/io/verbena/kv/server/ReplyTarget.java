package io.verbena.kv.server;

import io.verbena.Channel;
import io.verbena.SendResult;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableDirectByteBuffer;

/**
 * One client's replies: sent as they come; what the client does not take yet waits in a backlog of its own, so that it
 * holds up nobody else. A backlog over its limit disconnects the client.
 *
 * <p>Used by the shard's owner alone.
 */
final class ReplyTarget {
    private static final int LENGTH_FIELD = Integer.BYTES;

    final Channel channel;
    private final long maxBacklog;
    private final ExpandableDirectByteBuffer backlog = new ExpandableDirectByteBuffer(256);
    private int head;
    private int tail;
    boolean listed; // has replies to be flushed
    boolean stalled; // has a backlog

    ReplyTarget(Channel channel, long maxBacklog) {
        this.channel = channel;
        this.maxBacklog = Math.min(maxBacklog, Integer.MAX_VALUE - (128L << 20));
    }

    /** Sends a reply, or keeps it. @return false if the client is too far behind and has been disconnected */
    boolean send(DirectBuffer buffer, int offset, int length) {
        if (!stalled) {
            SendResult result = channel.enqueue(buffer, offset, length);
            if (result != SendResult.BACK_PRESSURED) {
                return true; // sent, or closed: then there is nobody to keep it for
            }
        }
        if (tail - head + (long) length > maxBacklog) {
            channel.close();
            head = 0;
            tail = 0;
            stalled = false;
            return false;
        }
        backlog.putInt(tail, length);
        backlog.putBytes(tail + LENGTH_FIELD, buffer, offset, length);
        tail += LENGTH_FIELD + length;
        stalled = true;
        return true;
    }

    /** Sends what was kept. @return replies sent */
    int drain() {
        int sent = 0;
        while (head < tail) {
            int length = backlog.getInt(head);
            SendResult result = channel.enqueue(backlog, head + LENGTH_FIELD, length);
            if (result == SendResult.BACK_PRESSURED) {
                break;
            }
            head += LENGTH_FIELD + length;
            sent++;
        }
        if (head == tail) {
            head = 0;
            tail = 0;
            stalled = false;
        }
        if (sent > 0) {
            channel.flush();
        }
        return sent;
    }
}
