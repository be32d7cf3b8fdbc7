package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.Outcome;
import io.verbena.Requester;
import io.verbena.RequesterOptions;
import io.verbena.Response;
import io.verbena.SendResult;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Calls to one responder: each ends once, with the answer that its request asks for, or when its time is over. */
final class CallLoad implements ClientLoad {
    private static final int WINDOW = 48;
    private static final int MAX_REQUEST = 64 << 10;
    private static final Duration NUDGE_TIMEOUT = Duration.ofMillis(2);
    private static final long PATIENT = TimeUnit.SECONDS.toNanos(25);
    private static final long NUDGE = -1;

    private final Site site;
    private final String responder;
    private final boolean onNode;
    private final SplittableRandom random;
    private final int stream;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[MAX_REQUEST]);
    private final ConcurrentHashMap<Long, Long> open = new ConcurrentHashMap<>(); // number to timeout
    private final AtomicLong ended = new AtomicLong();
    private @Nullable Requester requester;
    private @Nullable Channel channel;
    private long called;
    private long told;
    private long nextNudge;
    private long nudges;
    private final AtomicLong nudgesEnded = new AtomicLong();
    private volatile boolean broken;

    /** To a responder of the hub; ends are told by the node's thread, or by the client's. */
    CallLoad(Site site, String responder, boolean onNode) {
        this.site = site;
        this.responder = responder;
        this.onNode = onNode;
        this.stream = site.newStream();
        this.random = site.random(stream);
    }

    @Override
    public void open() {
        Requester to = site.node().openRequester(new RequesterOptions().maxOutstanding(128));
        if (onNode) {
            to.pollOnNode();
        }
        requester = to;
        channel = to.connect(site.host().address(responder), Site.TIMEOUT);
    }

    @Override
    public int step(boolean more) {
        Requester by = requester;
        Channel to = channel;
        if (by == null || to == null) {
            return 0;
        }
        if (!onNode) {
            by.poll(64);
        }
        long now = ended.get();
        int done = now > told ? 1 : 0;
        told = now;
        boolean enqueued = false;
        while (more && !broken && called - told < WINDOW) {
            int length = Math.max(MessageContent.HEADER_LENGTH, Lengths.next(random, MAX_REQUEST));
            long number = called;
            site.content().fill(buffer, 0, MessageContent.identity(HubInbox.REQUEST.code(), stream, number), length);
            long timeout = random.nextInt(64) == 0 ? 1000L << random.nextInt(12) : PATIENT;
            boolean batched = random.nextBoolean();
            open.put(number, timeout);
            SendResult result = batched
                    ? by.enqueue(to, buffer, 0, length, Duration.ofNanos(timeout), number, this::onEnd)
                    : by.call(to, buffer, 0, length, Duration.ofNanos(timeout), number, this::onEnd);
            if (result != SendResult.SENT) {
                open.remove(number);
                broken = result == SendResult.CLOSED;
                break;
            }
            enqueued |= batched;
            called++;
            done++;
        }
        if (enqueued) {
            to.flush();
        }
        if (!broken && called > told && System.nanoTime() - nextNudge > 0) {
            nextNudge = System.nanoTime() + NUDGE_TIMEOUT.toNanos();
            if (by.call(to, buffer, 0, 0, NUDGE_TIMEOUT, NUDGE, this::onEnd) == SendResult.SENT) {
                nudges++;
            }
        }
        if (broken && !site.host().isDisturbed()) {
            site.unexpected(to.toString(), stream, "an open channel", "closed: " + to.closeReason());
        }
        return done;
    }

    private void onEnd(Response r) {
        if (onNode) {
            site.entrance().enter("the handler of responses", () -> judge(r));
        } else {
            judge(r);
        }
    }

    private void judge(Response r) {
        long number = r.correlationId();
        if (number == NUDGE) {
            nudgesEnded.incrementAndGet();
            return;
        }
        Long timeout = open.remove(number);
        if (timeout == null) {
            flaw(FlawKind.DUPLICATE, number, "each call to end once", "a second end: " + r.outcome());
            return;
        }
        if (r.outcome() == Outcome.DONE) {
            long identity = MessageContent.identity(HubInbox.REQUEST.code(), stream, number);
            int length = Answers.length(identity);
            int different = r.length() == length
                    ? site.content().firstDifference(r.buffer(), r.offset(), Answers.answer(identity), length)
                    : 0;
            if (different >= 0) {
                flaw(
                        FlawKind.TORN,
                        number,
                        "the answer of " + length + " bytes",
                        r.length() + " bytes, other content from byte " + different + " on");
            }
        } else if (r.outcome() == Outcome.EXPIRED) {
            site.tally().add(MessageTally.Count.EXPIRED, 1);
            if (timeout == PATIENT && !site.host().isDisturbed()) {
                flaw(FlawKind.WRONG_END, number, "an answer", "none within " + timeout + " ns");
            }
        } else if (!site.host().isDisturbed() || r.outcome() == Outcome.FAILED) {
            flaw(FlawKind.WRONG_END, number, "an answer", r.outcome() + ": " + r.failure());
        }
        site.tally().add(MessageTally.Count.CALLS, 1);
        ended.incrementAndGet();
    }

    private void flaw(FlawKind kind, long number, String expected, String got) {
        String where = "requester of node '" + site.node().name() + "' to responder '" + responder + "'";
        site.findings().report(new Flaw(kind, where, String.valueOf(channel), stream, number, expected, got));
    }

    @Override
    public boolean isSettled() {
        return ended.get() == called && nudgesEnded.get() == nudges;
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close();
            site.tally().add(MessageTally.Count.CLOSES, 1);
        }
        if (requester != null) {
            requester.close();
        }
    }

    @Override
    public String state() {
        Requester by = requester;
        Channel to = channel;
        return "call load to '" + responder + "', stream " + stream + ": called " + called + ", ended " + ended
                + ", arrived there " + site.host().received(stream) + ", outstanding "
                + (by == null ? 0 : by.outstanding()) + " calls, " + to
                + (to == null ? "" : ", outstanding " + to.outstanding() + ", close reason " + to.closeReason());
    }
}
