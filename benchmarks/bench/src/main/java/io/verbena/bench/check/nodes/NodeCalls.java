package io.verbena.bench.check.nodes;

import io.verbena.Channel;
import io.verbena.Outcome;
import io.verbena.Request;
import io.verbena.Requester;
import io.verbena.Responder;
import io.verbena.Response;
import io.verbena.SendResult;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What must be true of calls: each ends once; with its own answer, if it is done; with the failure that its handler
 * threw; not before its time, if it expires; and closed only with its channel or its requester. Each is handled at most
 * once.
 *
 * <p>Thread-safe, under itself.
 */
final class NodeCalls {
    private static final long MICRO = 1_000;
    private static final long PATIENT = 300_000_000L;
    private static final int HEADER = 16;
    private static final int MAX_ANSWER = 3_000;
    private static final String TEXT = "as was asked for";

    /** How the responder is to end a call. */
    private enum Kind {
        NOW,
        BATCH,
        LATER,
        THROW,
        NEVER
    }

    private static final class Call {
        final long id;
        final Kind kind;
        final Channel channel;
        final Requester requester;
        final long start;
        final long timeout;
        int handled;

        Call(long id, Kind kind, Channel channel, Requester requester, long start, long timeout) {
            this.start = start;
            this.id = id;
            this.kind = kind;
            this.channel = channel;
            this.requester = requester;
            this.timeout = timeout;
        }

        @Override
        public String toString() {
            return "call " + id + ' ' + kind + ", handled " + handled + ", of " + timeout + " ns, " + "begun at "
                    + start + ", " + channel + ' ' + channel.closeReason();
        }
    }

    /** An answer that is given later. */
    private record Debt(NodeHost host, Channel channel, long correlationId, long id) {}

    private final NodeTally tally;
    private final NanoClock clock;
    private final Consumer<Runnable> guard;
    private final long seed;
    private final Map<Long, Call> outstanding = new HashMap<>();
    private final List<Debt> debts = new ArrayList<>();
    private final List<Requester> closed = new ArrayList<>();
    private final UnsafeBuffer request = new UnsafeBuffer(new byte[HEADER + MAX_ANSWER]);
    private long calls;

    /**
     * No calls.
     *
     * @param clock that calls expire by
     * @param guard runs what handlers do, and keeps its failure
     */
    NodeCalls(NodeTally tally, long seed, NanoClock clock, Consumer<Runnable> guard) {
        this.clock = clock;
        this.guard = guard;
        this.tally = tally;
        this.seed = seed;
    }

    /** Calls, if there is room. By the walk's thread. */
    void call(Requester requester, Channel channel, SimRandom random) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        boolean brief = kind == Kind.NEVER || random.nextInt(6) == 0;
        call(requester, channel, kind, brief ? (1 + random.nextInt(3_000)) * MICRO : PATIENT, random);
    }

    /** Calls with all the time there is, for an answer at once. @return whether there was room */
    boolean prove(Requester requester, Channel channel, SimRandom random) {
        return call(requester, channel, Kind.NOW, NodeWalk.PATIENCE.toNanos(), random);
    }

    private boolean call(Requester requester, Channel channel, Kind kind, long timeout, SimRandom random) {
        long id = ++calls;
        int length = random.nextInt(3) == 0 ? random.nextInt(MAX_ANSWER) : random.nextInt(100);
        request.putLong(0, id);
        request.putLong(8, kind.ordinal());
        Pattern.fill(request, HEADER, seed + id, 0, length);
        Call call = new Call(id, kind, channel, requester, clock.nanoTime(), timeout);
        synchronized (this) {
            outstanding.put(id, call); // first: it may have ended when this returns
        }
        SendResult result = random.nextInt(3) == 0
                ? requester.enqueue(
                        channel,
                        request,
                        0,
                        HEADER + length,
                        Duration.ofNanos(timeout),
                        id,
                        r -> guard.accept(() -> ended(r)))
                : requester.call(
                        channel,
                        request,
                        0,
                        HEADER + length,
                        Duration.ofNanos(timeout),
                        id,
                        r -> guard.accept(() -> ended(r)));
        if (result == SendResult.SENT) {
            tally.event(Event.CALLED);
            return true;
        }
        synchronized (this) {
            if (outstanding.remove(id) == null || call.handled > 0) {
                throw new WalkFailure(call + ": was not begun, " + result + ", and ended or was handled");
            }
        }
        return false;
    }

    // ---- the responder ----------------------------------------------------------------------------------------------

    /** A request came to a responder. */
    void requested(NodeHost host, Request r) {
        DirectBuffer b = r.buffer();
        long id = r.length() < HEADER ? -1 : b.getLong(r.offset());
        if (id < 1 || id > calls) {
            throw new WalkFailure("a request of " + r.length() + " bytes that nobody sent");
        }
        int length = r.length() - HEADER;
        int bad = Pattern.mismatch(b, r.offset() + HEADER, seed + id, 0, length);
        if (bad >= 0) {
            throw new WalkFailure("byte " + bad + " of the request of call " + id + " is wrong");
        }
        Kind kind = Kind.values()[(int) b.getLong(r.offset() + 8)];
        if (host.isLazy()) {
            r.again();
            return;
        }
        handled(id, 1); // first: its end may be told before the reply returns
        UnsafeBuffer answer = answer(id);
        SendResult result = SendResult.SENT;
        if (kind == Kind.NOW) {
            result = r.reply(answer, 0, answer.capacity());
        } else if (kind == Kind.BATCH) {
            result = r.enqueue(answer, 0, answer.capacity());
        }
        if (result == SendResult.BACK_PRESSURED) {
            handled(id, -1);
            r.again();
        } else if (kind == Kind.LATER) {
            synchronized (this) {
                debts.add(new Debt(host, r.channel(), r.correlationId(), id));
            }
        } else if (kind == Kind.THROW) {
            throw new Refusal();
        }
    }

    /** A call that has not ended is handled once more, or once less. */
    private synchronized void handled(long id, int times) {
        Call call = outstanding.get(id);
        if (call != null) {
            call.handled += times;
            if (call.handled > 1) {
                throw new WalkFailure(call + ": handled twice");
            }
        }
    }

    /** What a handler throws because its caller wants that. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refusal() {
            super(TEXT, null, false, false);
        }
    }

    private UnsafeBuffer answer(long id) {
        UnsafeBuffer answer = new UnsafeBuffer(new byte[answerLength(id)]);
        Pattern.fill(answer, 0, seed - id, 0, answer.capacity());
        return answer;
    }

    private int answerLength(long id) {
        return (int) Long.remainderUnsigned((seed + id) * 0x9E37_79B9_7F4A_7C15L, id % 4 == 0 ? MAX_ANSWER : 64);
    }

    /** Answers what was left for later, in any order. */
    void pay(SimRandom random) {
        List<Debt> now = new ArrayList<>();
        synchronized (this) {
            for (Iterator<Debt> i = debts.iterator(); i.hasNext(); ) {
                Debt debt = i.next();
                if (random.nextInt(2) == 0) {
                    i.remove();
                    now.add(random.nextInt(now.size() + 1), debt);
                }
            }
        }
        for (Debt debt : now) {
            UnsafeBuffer answer = answer(debt.id);
            SendResult result = Responder.reply(debt.channel, debt.correlationId, answer, 0, answer.capacity());
            if (result == SendResult.BACK_PRESSURED) {
                synchronized (this) {
                    debts.add(debt);
                }
            }
        }
    }

    // ---- the requester ----------------------------------------------------------------------------------------------

    private void ended(Response r) {
        Call call;
        boolean requesterClosed;
        synchronized (this) {
            call = outstanding.remove(r.correlationId());
            requesterClosed = call != null && closed.contains(call.requester);
        }
        if (call == null) {
            throw new WalkFailure("call " + r.correlationId() + " ended twice, or was never begun: " + r.outcome());
        }
        Outcome outcome = r.outcome();
        tally.ended(outcome);
        boolean legal;
        switch (outcome) {
            case DONE:
                legal = call.handled == 1
                        && call.kind != Kind.THROW
                        && call.kind != Kind.NEVER
                        && r.length() == answerLength(call.id)
                        && Pattern.mismatch(r.buffer(), r.offset(), seed - call.id, 0, r.length()) < 0;
                break;
            case FAILED:
                legal = call.handled == 1 && call.kind == Kind.THROW && r.text().equals(TEXT);
                break;
            case EXPIRED:
                legal = clock.nanoTime() - call.start >= call.timeout;
                break;
            default:
                legal = requesterClosed || call.channel.closeReason() != null;
        }
        if (!legal) {
            throw new WalkFailure(call + ": ended " + outcome + " with " + r.length() + " bytes");
        }
    }

    /** A requester is about to be closed, or its node is. */
    synchronized void closing(Requester requester) {
        closed.add(requester);
    }

    /** A node is gone, and with it what it owes. */
    synchronized void forget(NodeHost host) {
        debts.removeIf(debt -> debt.host == host);
    }

    /** Whether nothing has not ended. */
    synchronized boolean isQuiet() {
        return outstanding.isEmpty();
    }

    /** Whether all of a requester's calls have ended. */
    synchronized boolean isQuiet(Requester requester) {
        return outstanding.values().stream().noneMatch(call -> call.requester == requester);
    }

    @Override
    public synchronized String toString() {
        return "outstanding " + outstanding.values();
    }
}
