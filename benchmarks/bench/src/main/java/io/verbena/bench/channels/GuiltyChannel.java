package io.verbena.bench.channels;

import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.SendResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A channel that does wrong at a rate, and opens again when that has ended it. For the victims' thread. */
final class GuiltyChannel implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Messages at a time that fill an inbox. */
    private static final int BURST = 64;

    private final Node node;
    private final Guilt guilt;
    private final String address;
    private final long period;
    private final UnsafeBuffer message;
    private final long begin = System.nanoTime();
    private @Nullable CompletableFuture<Channel> opening;
    private long steps;
    private long offences;

    /**
     * Creates it; the first {@link #step} begins to open it.
     *
     * @param address of its inbox
     * @param rate offences a second at most
     */
    GuiltyChannel(Node node, Guilt guilt, String address, long rate) {
        this.node = node;
        this.guilt = guilt;
        this.address = address;
        this.period = 1_000_000_000 / rate;
        this.message = new UnsafeBuffer(new byte[length(guilt)]);
    }

    private static int length(Guilt guilt) {
        return switch (guilt) {
            case TOO_LONG -> GuiltyPeer.LONGEST + 1;
            case LONG -> GuiltyPeer.LONGEST;
            case FULL_INBOX -> GuiltyPeer.LONGEST_OF_FULL;
            case CLOSED_INBOX, KILLED_RECEIVER -> 2 * Victims.LENGTH; // nobody answers that
        };
    }

    /** What it has done wrong: refused messages, long messages that were sent, or ends of its channel. */
    long offences() {
        return offences;
    }

    /** Whether it is open. */
    boolean isOpen() {
        CompletableFuture<Channel> asked = opening;
        return asked != null && asked.isDone() && !asked.isCompletedExceptionally();
    }

    /** Does the next thing if that is due. */
    void step() {
        if (System.nanoTime() - begin < steps * period) {
            return;
        }
        steps++;
        CompletableFuture<Channel> asked = opening;
        if (asked == null) {
            opening = node.connectAsync(address, null, TIMEOUT);
        } else if (asked.isDone()) {
            int most = guilt == Guilt.FULL_INBOX ? BURST : 1;
            for (int i = 0; i < most && send(asked) == SendResult.SENT; i++) {}
        }
    }

    private SendResult send(CompletableFuture<Channel> asked) {
        SendResult result;
        try {
            result = asked.join().offer(message, 0, message.capacity());
        } catch (CompletionException e) { // it could not be opened
            result = SendResult.CLOSED;
        } catch (IllegalArgumentException e) {
            if (guilt != Guilt.TOO_LONG) {
                throw e;
            }
            offences++;
            return SendResult.BACK_PRESSURED;
        }
        switch (result) {
            case SENT -> offences += guilt == Guilt.LONG ? 1 : 0;
            case BACK_PRESSURED -> offences += guilt == Guilt.FULL_INBOX ? 1 : 0;
            case CLOSED -> {
                offences++;
                opening = null;
            }
        }
        return result;
    }

    @Override
    public void close() {
        CompletableFuture<Channel> asked = opening;
        if (asked != null) {
            asked.whenComplete((channel, failure) -> {
                if (channel != null) {
                    channel.close();
                }
            });
        }
    }
}
