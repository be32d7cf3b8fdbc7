package io.verbena;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Why a call of a {@link Requester} has no result. */
public final class CallException extends RuntimeException {
    private final @Nullable Outcome outcome;

    private CallException(String message, @Nullable Outcome outcome) {
        super(message, null, false, false); // made on the node's thread, whose stack says nothing of the call
        this.outcome = outcome;
    }

    /**
     * How the call ended: FAILED, EXPIRED or CLOSED; null if the request was never sent, because the peer does not keep
     * up or the maximum number of calls is outstanding: it may be repeated at once.
     */
    public @Nullable Outcome outcome() {
        return outcome;
    }

    /** Completes a future in the way its call ended. */
    static void end(CompletableFuture<byte[]> answer, Response response) {
        if (response.outcome() == Outcome.DONE) {
            answer.complete(response.bytes());
        } else {
            answer.completeExceptionally(new CallException(
                    "call on " + response.channel() + " ended in " + response.outcome() + ": " + response.failure(),
                    response.outcome()));
        }
    }

    /** Completes the future of a call that was not sent. */
    static void notSent(CompletableFuture<byte[]> answer, Channel channel, SendResult why) {
        answer.completeExceptionally(
                why == SendResult.CLOSED
                        ? new CallException(
                                "call on " + channel + " was not sent: " + channel.closeReason(), Outcome.CLOSED)
                        : new CallException(
                                "call on " + channel + " was not sent: the peer does not keep up, or too many calls are"
                                        + " outstanding; try again later",
                                null));
    }
}
