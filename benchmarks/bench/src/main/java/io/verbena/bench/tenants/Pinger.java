package io.verbena.bench.tenants;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.verification.RunException;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An end of a ping: a tenant of its own that weighs as much as the first that sends, with one urgent queue pair for
 * messages of {@value #BYTES} bytes. The near one times {@link #roundTrip}, the far one {@link #answer}s. For one
 * thread.
 */
final class Pinger {
    static final int BYTES = 64;
    static final String NAME = "ping";

    private static final int LIMIT = 16;
    private static final long LIMIT_NANOS = 10_000_000_000L;

    private final Ping kind;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion region;
    private final AppendQueue queue;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[BYTES]);
    private final SendRequest request = new SendRequest();
    private final CompletionHandler onCompletion = this::onCompletion;
    private final AppendHandler onMessage =
            (buffer, offset, length, number, immediate, flags) -> onMessage(buffer, offset, number);
    private int remoteKey;
    private int remoteQueue;
    private int remoteQueueKey;
    private long sent;
    private long done;
    private long arrived;
    private long answered;

    /**
     * Creates its queue pair, in RESET, and what the other end's messages go to.
     *
     * @param beside who else sends: none where the ping is alone
     */
    Pinger(Nic nic, Ping kind, List<MeasuredTenant> beside) {
        this.kind = kind;
        int weight = beside.isEmpty() ? 1 : beside.get(0).weight();
        domain = nic.allocateProtectionDomain(
                nic.createGroup(new GroupAttributes().name(NAME).weight(weight).mayBeUrgent(true)));
        completions = nic.createCompletionQueue(1024);
        region = domain.allocate(4096, Access.ALL);
        queue = domain.createAppendQueue(new AppendQueueAttributes());
        queuePair = domain.createQueuePair(new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(64)
                .maxReceive(1)
                .maxSge(1)
                .maxInline(BYTES));
    }

    /** Where the other end finds it. */
    String address() {
        return queuePair.number() + " " + region.key() + " " + queue.id() + " " + queue.key();
    }

    /** Where messages arrive, for others to append to. */
    OpenQueue open() {
        return new OpenQueue(domain, completions, queue);
    }

    /** Connects the two ends. */
    void connect(long peerNic, String address) {
        connect(peerNic, address, new ConnectAttributes());
    }

    /** Connects the two ends as told. */
    void connect(long peerNic, String address, ConnectAttributes attributes) {
        String[] words = address.split(" ", -1);
        queuePair.connect(peerNic, Integer.parseInt(words[0]), attributes);
        queuePair.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        remoteKey = Integer.parseInt(words[1]);
        remoteQueue = Integer.parseInt(words[2]);
        remoteQueueKey = Integer.parseInt(words[3]);
    }

    /**
     * Sends a message and waits for its completion, or for the answer.
     *
     * @param idle a turn of what else the thread has to do, while it waits
     * @return nanoseconds
     */
    long roundTrip(Runnable idle) {
        long begin = System.nanoTime();
        send();
        while (!isBack()) {
            if (System.nanoTime() - begin > LIMIT_NANOS) {
                throw new RunException("no answer to a ping within 10 s");
            }
            idle.run();
        }
        return System.nanoTime() - begin;
    }

    /** Sends a message, once the one before {@link #isBack}. */
    void send() {
        sent++;
        if (kind == Ping.ECHO) {
            append(sent);
        } else {
            request.write(remoteKey, 0).inline(message, 0, BYTES).wrId(sent);
            post();
        }
    }

    /** Whether what was sent last is complete, or answered. */
    boolean isBack() {
        completions.poll(onCompletion, LIMIT);
        if (kind == Ping.ECHO) {
            queue.poll(onMessage, LIMIT);
        }
        return (kind == Ping.ECHO ? arrived : done) == sent;
    }

    /** The far end's turn. @return whether there was a message */
    boolean answer() {
        completions.poll(onCompletion, LIMIT);
        queue.poll(onMessage, LIMIT);
        if (arrived == answered) {
            return false;
        }
        answered = arrived;
        append(answered);
        return true;
    }

    private void append(long number) {
        message.putLong(0, number);
        request.append(remoteQueue, remoteQueueKey).inline(message, 0, BYTES).wrId(number);
        post();
    }

    private void post() {
        if (queuePair.postSend(request) != PostResult.POSTED) {
            throw new RunException("the send queue is full where one message is under way");
        }
    }

    /** Others may append to the queue too: theirs is no ping. */
    private void onMessage(DirectBuffer buffer, int offset, int qpNumber) {
        if (qpNumber == queuePair.number()) {
            arrived = buffer.getLong(offset);
        }
    }

    private void onCompletion(Completion completion) {
        if (!completion.isSuccess()) {
            throw new RunException("a ping ended in " + completion.status());
        }
        done = completion.wrId();
    }
}
