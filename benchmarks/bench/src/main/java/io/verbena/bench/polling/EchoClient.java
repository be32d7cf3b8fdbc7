package io.verbena.bench.polling;

import io.verbena.Channel;
import io.verbena.ConnectionException;
import io.verbena.Inbox;
import io.verbena.Message;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A node that sends messages at a fixed rate, or as many as it can, and waits for the answers in {@code Inbox.await}. A
 * round trip counts from when its message was due. For one thread.
 */
final class EchoClient implements AutoCloseable {
    /** As many as there can be, {@value #WINDOW} under way. */
    static final long SATURATION = 0;

    private static final int WINDOW = 128;
    private static final int BATCH = 64;
    private static final int LENGTH = 32;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60);

    private final Node node;
    private final Inbox answers;
    private final Channel channel;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final Histogram histogram = new Histogram(LONGEST, 3);
    private long sent;
    private long received;

    EchoClient(SchemeName scheme, String address) {
        node = Node.launch(new NodeContext().polling(scheme.polling()).sharedMemory(address.startsWith("shm:")));
        answers = node.openInbox("answers");
        channel = connect(address);
    }

    /** Connects, again and again for a while: on a busy machine a JVM that has just started is slow to say hello. */
    private Channel connect(String address) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try {
                return node.connect(address, answers, TIMEOUT);
            } catch (ConnectionException e) {
                if (System.nanoTime() - deadline > 0) {
                    node.close();
                    throw e;
                }
            }
        }
    }

    /**
     * Sends and takes for a time.
     *
     * @param rate messages a second, or {@link #SATURATION}
     * @return round trips since the call, until the last answer had come
     */
    Histogram run(long rate, double seconds) {
        histogram.reset();
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        double interval = rate == SATURATION ? 0 : 1e9 / rate;
        long first = sent;
        while (System.nanoTime() - end < 0) {
            long due = begin + (long) ((sent - first) * interval);
            long now = System.nanoTime();
            if (sent - received < WINDOW && due - now <= 0 && offer(rate == SATURATION ? now : due)) {
                continue;
            }
            if (answers.poll(this::onMessage, BATCH) == 0) {
                long left = sent - received < WINDOW ? Math.max(due - now, 0) : end - now;
                answers.await(Duration.ofNanos(Math.max(0, Math.min(left, end - now))));
            }
        }
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (received < sent) {
            if (answers.poll(this::onMessage, BATCH) == 0
                    && !answers.await(Duration.ofMillis(100))
                    && System.nanoTime() - deadline > 0) {
                throw new RunException(sent - received + " answers have not come within " + TIMEOUT);
            }
        }
        return histogram;
    }

    private boolean offer(long due) {
        message.putLong(0, due);
        SendResult result = channel.offer(message, 0, LENGTH);
        if (result == SendResult.SENT) {
            sent++;
            return true;
        }
        if (result == SendResult.BACK_PRESSURED) {
            return false;
        }
        throw new RunException("cannot send: " + result);
    }

    private void onMessage(Message answer) {
        received++;
        long nanos = System.nanoTime() - answer.buffer().getLong(answer.offset());
        histogram.recordValue(Math.min(LONGEST, Math.max(0, nanos)));
    }

    @Override
    public void close() {
        node.close();
    }
}
