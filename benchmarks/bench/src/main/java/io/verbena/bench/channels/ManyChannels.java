package io.verbena.bench.channels;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.MuxOptions;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import io.verbena.bench.trial.Sink;
import io.verbena.bench.trial.SinkProcess;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/** A node, its channels to a {@link Sink}, and a channel on which messages come back. For one thread. */
final class ManyChannels implements AutoCloseable {
    private static final int LENGTH = 32;
    private static final int OPENING = 512;
    private static final int LOOK = 64;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60);

    private final Node node;
    private final Channel probe;
    private final Inbox answers;
    private final String address;
    private final List<Channel> channels = new ArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private int next;
    private long answered;

    /**
     * Launches the node.
     *
     * @param share whether channels share queue pairs
     */
    ManyChannels(Sink sink, boolean share) {
        NodeContext context = SinkProcess.context()
                .sharedMemory(sink.isShared())
                .shareConnections(new MuxOptions().after(share ? 0 : Integer.MAX_VALUE));
        this.address = sink.takes();
        this.node = Node.launch(context);
        this.answers = node.openInbox("answers");
        this.probe = node.connect(sink.answers(), answers, TIMEOUT);
    }

    /**
     * Opens channels.
     *
     * @return how many in a second
     */
    double open(int count) {
        long begin = System.nanoTime();
        ArrayDeque<CompletableFuture<Channel>> asked = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            if (asked.size() == OPENING) {
                channels.add(asked.remove().join());
            }
            asked.add(node.connectAsync(address, null, TIMEOUT));
        }
        asked.forEach(each -> channels.add(each.join()));
        return count * 1e9 / (System.nanoTime() - begin);
    }

    /** Channels that share a queue pair. */
    long sharing() {
        return channels.stream().filter(Channel::isShared).count();
    }

    /** Each sends one message. */
    void use() {
        for (int i = 0; i < channels.size(); i++) {
            send();
        }
        drain();
    }

    private void send() {
        Channel channel = channels.get(next);
        next = next + 1 == channels.size() ? 0 : next + 1;
        SendResult result = channel.offer(message, 0, LENGTH);
        while (result == SendResult.BACK_PRESSURED) {
            Thread.onSpinWait();
            result = channel.offer(message, 0, LENGTH);
        }
        if (result != SendResult.SENT) {
            throw new RunException(channel + " cannot send: " + result + ", " + channel.closeReason());
        }
    }

    private void drain() {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (Channel channel : channels) {
            while (channel.outstanding() > 0) {
                if (System.nanoTime() - deadline > 0) {
                    throw new RunException(channel + " has " + channel.outstanding() + " messages under way");
                }
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Sends in turn for a time, until all is acknowledged.
     *
     * @return messages a second
     */
    double rate(double seconds) {
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        long sent = 0;
        while (System.nanoTime() - end < 0) {
            for (int i = 0; i < LOOK; i++) {
                send();
            }
            sent += LOOK;
        }
        drain();
        return sent * 1e9 / (System.nanoTime() - begin);
    }

    /**
     * Sends in turn at a rate, and besides a thousand messages a second there and back.
     *
     * @param rate messages a second on all channels together
     * @return round trips of those that come back, from when they were due
     */
    Histogram probe(long rate, double seconds) {
        Histogram times = new Histogram(LONGEST, 3);
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        long sent = 0;
        long probes = 0;
        answered = 0;
        while (System.nanoTime() - end < 0) {
            long now = System.nanoTime();
            if (now - begin >= sent * 1e9 / rate) {
                send();
                sent++;
            }
            long due = begin + probes * 1_000_000;
            if (now - due >= 0) {
                message.putLong(0, due);
                if (probe.offer(message, 0, LENGTH) == SendResult.SENT) {
                    probes++;
                }
            }
            take(times);
        }
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (answered < probes) {
            take(times);
            if (System.nanoTime() - deadline > 0) {
                throw new RunException(probes - answered + " messages have not come back");
            }
        }
        drain();
        return times;
    }

    private void take(Histogram times) {
        answers.poll(
                m -> {
                    answered++;
                    times.recordValue(Math.min(
                            LONGEST, Math.max(0, System.nanoTime() - m.buffer().getLong(m.offset()))));
                },
                LOOK);
    }

    @Override
    public void close() {
        node.close();
    }
}
