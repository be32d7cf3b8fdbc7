package io.verbena.bench.channels;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Message;
import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Channels that send in turn at a rate, and get each message back: once, and in order, or the run ends. For one thread.
 */
final class Victims {
    /** Bytes of a message. */
    static final int LENGTH = 32;

    private static final int CHANNEL = 0;
    private static final int SEQUENCE = 8;
    private static final int DUE = 16;
    private static final int LOOK = 64;
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(3);

    private final Inbox answers;
    private final List<Channel> channels = new ArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final long[] sent;
    private final long[] answered;
    private int next;
    private long outstanding;

    /** Opens them. */
    Victims(Node node, String address, int count) {
        answers = node.openInbox("answers");
        sent = new long[count];
        answered = new long[count];
        List<CompletableFuture<Channel>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(node.connectAsync(address, answers, TIMEOUT));
        }
        asked.forEach(each -> channels.add(each.join()));
    }

    /** Those that share a queue pair. */
    long sharing() {
        return channels.stream().filter(Channel::isShared).count();
    }

    /**
     * Sends in turn, and waits for all that is to come back.
     *
     * @param rate messages a second on all channels together
     * @param beside what this thread does between them
     * @return times there and back, from when a message was due
     */
    Histogram run(long rate, double seconds, Runnable beside) {
        Histogram times = new Histogram(LONGEST_NANOS, 3);
        long begin = System.nanoTime();
        long messages = Math.round(rate * seconds);
        long done = 0;
        long deadline = begin + Math.round(seconds * 1e9) + TIMEOUT.toNanos();
        while (done < messages || outstanding > 0) {
            long now = System.nanoTime();
            if (now - deadline > 0) {
                throw new RunException(outstanding + " messages of " + done + " have not come back");
            }
            long due = begin + (long) (done * 1e9 / rate);
            if (done < messages && now - due >= 0 && send(due)) {
                done++;
            }
            answers.poll(m -> take(m, times), LOOK);
            beside.run();
        }
        return times;
    }

    private boolean send(long due) {
        Channel channel = channels.get(next);
        message.putLong(CHANNEL, next);
        message.putLong(SEQUENCE, sent[next]);
        message.putLong(DUE, due);
        SendResult result = channel.offer(message, 0, LENGTH);
        if (result == SendResult.BACK_PRESSURED) {
            return false;
        }
        if (result != SendResult.SENT) {
            throw new RunException(channel + ", which did nothing wrong, cannot send: " + channel.closeReason());
        }
        sent[next]++;
        outstanding++;
        next = next + 1 == channels.size() ? 0 : next + 1;
        return true;
    }

    private void take(Message m, Histogram times) {
        int channel = (int) m.buffer().getLong(m.offset() + CHANNEL);
        long sequence = m.buffer().getLong(m.offset() + SEQUENCE);
        if (sequence != answered[channel]) {
            throw new RunException(
                    "channel " + channel + ": message " + sequence + " came where " + answered[channel] + " was due");
        }
        answered[channel]++;
        outstanding--;
        long taken = System.nanoTime() - m.buffer().getLong(m.offset() + DUE);
        times.recordValue(Math.max(0, Math.min(LONGEST_NANOS, taken)));
    }
}
