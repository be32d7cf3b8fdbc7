package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;

/**
 * What sending ends have in common: queue pairs, source memory, and the count of what is under way. Short messages go
 * inline; longer ones are copied to source memory. Requests are unsignaled but where a subclass wants their completion.
 */
abstract class SenderEnd implements SendScheme {
    private static final int POLL = 64;

    final Nic nic;
    final ProtectionDomain domain;
    final SchemeSettings settings;
    final SourceRing source;
    final SendRequest request = new SendRequest();
    final CompletionQueue completions;
    private final CompletionHandler handler = this::take;
    private final Lane[] lanes;
    private final long notReadyBefore;
    private int outstanding;
    private int completed;
    private boolean closed;

    /**
     * Makes the queue pairs.
     *
     * @param nic of the sender
     * @param settings of the queue pairs
     * @param lanes how many
     * @param receives that each may have posted
     */
    SenderEnd(Nic nic, SchemeSettings settings, int lanes, int receives) {
        this.nic = nic;
        this.settings = settings;
        domain = nic.allocateProtectionDomain();
        completions = nic.createCompletionQueue((settings.window() + receives) * lanes);
        this.lanes = new Lane[lanes];
        for (int i = 0; i < lanes; i++) {
            this.lanes[i] = new Lane(domain.createQueuePair(new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(settings.window())
                    .maxReceive(receives)
                    .maxSge(1)
                    .maxInline(Math.max(settings.maxInline(), ControlMessage.LENGTH))));
        }
        int pieces = BitUtil.findNextPositivePowerOfTwo(settings.window() * lanes);
        source = new SourceRing(domain, settings.sourceBytes(), pieces);
        notReadyBefore = nic.counter(NicCounter.RECEIVER_NOT_READY);
    }

    @Override
    public final SchemeAddress connect(SchemeAddress invitation) {
        if (invitation.queuePairs().size() != lanes.length) {
            throw new RunException("invited with " + invitation.queuePairs().size() + " queue pairs, has "
                    + lanes.length + ": the two ends are of different schemes");
        }
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < lanes.length; i++) {
            numbers.add(lanes[i].qp.number());
            lanes[i].qp.connect(invitation.nicId(), invitation.queuePairs().get(i), settings.connect());
        }
        return SchemeAddress.of(nic.id(), numbers, connected(invitation));
    }

    /**
     * Takes what a subclass must know of the invitation. @return the answer's words, the first that of the invitation
     */
    long[] connected(SchemeAddress invitation) {
        return new long[] {invitation.word(0)};
    }

    final Lane lane(int index) {
        return lanes[index];
    }

    /** Refuses a message that the scheme does not take. */
    static void checkLength(int length, long maximum) {
        if (length < 0 || length > maximum) {
            throw new IllegalArgumentException("message of " + length + " bytes outside 0.." + maximum);
        }
    }

    // ---- posting -------------------------------------------------------------------------------------------------

    /** Posts the request, which has been started, with a message of its own. @return false if there is no room now */
    final boolean postMessage(Lane lane, DirectBuffer buffer, int offset, int length) {
        long piece = SourceRing.NONE;
        if (length <= settings.maxInline()) {
            request.inline(buffer, offset, length);
        } else {
            piece = claim(length);
            if (piece == SourceRing.NONE) {
                return false;
            }
            source.buffer().putBytes(source.offset(piece), buffer, offset, length);
            request.local(source.key(), source.offset(piece), length);
        }
        request.signaled(false);
        if (!post(lane, piece, true)) {
            if (piece != SourceRing.NONE) {
                source.unclaim(piece);
            }
            return false;
        }
        accepted();
        return true;
    }

    /** Source memory, or {@link SourceRing#NONE} if there is none now. */
    final long claim(int length) {
        long piece = source.claim(length);
        if (piece == SourceRing.NONE) {
            if (length > source.capacity()) {
                throw new IllegalArgumentException(
                        "message of " + length + " bytes > source memory " + source.capacity());
            }
            progress();
            piece = source.claim(length);
        }
        return piece;
    }

    /**
     * Posts the request as it is.
     *
     * @param piece of source memory to let go of when it has ended, or {@link SourceRing#NONE}
     * @param isMessage whether a message is complete then
     * @return false if there is no room now
     */
    final boolean post(Lane lane, long piece, boolean isMessage) {
        if (lane.isFull()) {
            progress();
        }
        if (lane.isFull() || lane.qp.postSend(request) != PostResult.POSTED) {
            return false;
        }
        lane.posted(piece, isMessage);
        return true;
    }

    /** A message has been taken on. */
    final void accepted() {
        outstanding++;
    }

    // ---- completion ----------------------------------------------------------------------------------------------

    private void take(Completion completion) {
        if (!completion.isSuccess()) {
            throw new RunException("a request of a sender ended in " + completion.status());
        }
        onCompletion(completion);
    }

    /** A completion without error: of a receive, or of a request that was posted signaled. */
    void onCompletion(Completion completion) {}

    /** Goes on with what could not be posted before. */
    void advance() {}

    private void progress() {
        for (Lane lane : lanes) {
            completed += lane.progress(source);
        }
    }

    @Override
    public final int poll() {
        completions.poll(handler, POLL);
        advance();
        progress();
        int count = completed;
        completed = 0;
        outstanding -= count;
        return count;
    }

    @Override
    public final int outstanding() {
        return outstanding;
    }

    @Override
    public final int queuePairs() {
        return lanes.length;
    }

    @Override
    public final long notReady() {
        return nic.counter(NicCounter.RECEIVER_NOT_READY) - notReadyBefore;
    }

    @Override
    public final void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (Lane lane : lanes) {
            lane.qp.close();
        }
        release();
        source.close();
        domain.close();
        completions.close();
    }

    /** Gives back what a subclass has, after the queue pairs. */
    void release() {}
}
