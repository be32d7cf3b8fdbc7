package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.Message;
import io.verbena.SendResult;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sends messages back from within the callback that they came to; those that find no room wait, each channel's in
 * order.
 */
final class Echoes {
    private final Map<Channel, ArrayDeque<UnsafeBuffer>> waiting = new LinkedHashMap<>(); // the callback's
    private final AtomicInteger count = new AtomicInteger();

    /** Sends a message back. */
    void send(Message m) {
        Channel channel = m.channel();
        if (channel == null) {
            return; // its sender is gone
        }
        retry();
        ArrayDeque<UnsafeBuffer> before = waiting.get(channel);
        if (before == null && channel.offer(m.buffer(), m.offset(), m.length()) != SendResult.BACK_PRESSURED) {
            return;
        }
        byte[] copy = new byte[m.length()];
        m.buffer().getBytes(m.offset(), copy);
        waiting.computeIfAbsent(channel, c -> new ArrayDeque<>()).add(new UnsafeBuffer(copy));
        count.incrementAndGet();
    }

    /** Tries again what found no room. */
    void retry() {
        waiting.entrySet().removeIf(entry -> {
            ArrayDeque<UnsafeBuffer> queue = entry.getValue();
            for (UnsafeBuffer next = queue.peek(); next != null; next = queue.peek()) {
                SendResult result = entry.getKey().offer(next, 0, next.capacity());
                if (result == SendResult.BACK_PRESSURED) {
                    return false;
                }
                if (result == SendResult.CLOSED) {
                    count.addAndGet(-queue.size());
                    return true;
                }
                queue.remove();
                count.decrementAndGet();
            }
            return true;
        });
    }

    int waiting() {
        return count.get();
    }
}
