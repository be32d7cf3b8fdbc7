package io.verbena.bench.tenants;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.verification.RunException;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a tenant's queue pairs: memory for its WRITEs, receives for its SENDs and
 * WRITEs with immediate data, a queue for its appends. All
 * messages of a verb land in the same place. For one thread.
 */
final class TenantSink {
    private static final int LIMIT = 256;
    private static final int POLLS_PER_TURN = 64;
    private static final int POLL_INTERVAL_TURNS = 16;
    /** Bytes of the longest message that its append queue takes. */
    static final int MAX_APPEND = 4 << 20;

    private static final int MIN_CHUNK = 1 << 20;
    private static final int MESSAGES_PER_CHUNK = 4;
    private static final int RESERVE = 8;
    private static final int MAX_RECEIVES = 32768;
    private static final int MISSING = -1;

    private final MeasuredTenant tenant;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final QueuePair[] queuePairs;
    private final Int2IntHashMap byNumber = new Int2IntHashMap(MISSING);
    private final @Nullable AppendQueue queue;
    private final CompletionHandler onCompletion = this::onCompletion;
    private final AppendHandler onMessage;
    private final AtomicLong taken = new AtomicLong();
    private int turns;

    /** Creates the queue pairs, in RESET. */
    TenantSink(Nic nic, MeasuredTenant tenant) {
        this.tenant = tenant;
        domain = nic.allocateProtectionDomain();
        boolean receives = tenant.verb().takesReceives();
        int entries = receives ? Math.multiplyExact(2 * receives(tenant), tenant.queuePairs()) : 1024;
        completions = nic.createCompletionQueue(Math.min(CompletionQueue.MAX_DEPTH, entries));
        region = domain.allocate(Math.max(64, tenant.bytes()), Access.ALL);
        QueuePairAttributes attributes = new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(4)
                .maxReceive(receives ? receives(tenant) : 1)
                .maxSge(1)
                .maxInline(0);
        queuePairs = new QueuePair[tenant.queuePairs()];
        for (int i = 0; i < queuePairs.length; i++) {
            queuePairs[i] = domain.createQueuePair(attributes);
            byNumber.put(queuePairs[i].number(), i);
        }
        queue = tenant.verb() == TenantVerb.APPEND ? domain.createAppendQueue(queueAttributes(tenant)) : null;
        onMessage = (buffer, offset, length, number, immediate, flags) -> {
            if (byNumber.containsKey(number)) { // others may append to the queue too
                take(length);
            }
        };
    }

    /**
     * A message is a record of a chunk, whatever its size, so that all go the same way; there is room for what is under
     * way.
     */
    private static AppendQueueAttributes queueAttributes(MeasuredTenant tenant) {
        int chunk = Math.max(MIN_CHUNK, Integer.highestOneBit(tenant.bytes()) * MESSAGES_PER_CHUNK);
        return new AppendQueueAttributes()
                .chunkLength(Math.min(chunk, AppendQueueAttributes.MAX_CHUNK_LENGTH))
                .reserveChunks(RESERVE)
                .maxMessage(Math.max(tenant.bytes(), MAX_APPEND));
    }

    /** Where a sender finds it: key of the memory, append queue and key of it, numbers of the queue pairs. */
    String address() {
        StringBuilder line = new StringBuilder();
        line.append(region.key());
        line.append(' ').append(queue == null ? 0 : queue.id());
        line.append(' ').append(queue == null ? 0 : queue.key());
        for (QueuePair each : queuePairs) {
            line.append(' ').append(each.number());
        }
        return line.toString();
    }

    /** Connects all queue pairs to a sender's, in the order of their numbers. */
    void connect(long peerNic, String numbers, ConnectAttributes attributes) {
        String[] words = numbers.split(" ", -1);
        if (words.length != queuePairs.length) {
            throw new RunException(words.length + " queue pairs of " + queuePairs.length);
        }
        for (int i = 0; i < words.length; i++) {
            connect(i, peerNic, Integer.parseInt(words[i]), attributes);
        }
    }

    private void connect(int index, long peerNic, int peerQp, ConnectAttributes attributes) {
        QueuePair own = queuePairs[index];
        own.connect(peerNic, peerQp, attributes);
        for (int i = 0; tenant.verb().takesReceives() && i < receives(tenant); i++) {
            if (tenant.conduct() != Conduct.UNREADY) {
                postReceive(own);
            }
        }
    }

    /** Brings a queue pair from wherever it is back to RTS. */
    void reconnect(int index, long peerNic, int peerQp, ConnectAttributes attributes) {
        queuePairs[index].modify(new QpAttributes().state(QpState.RESET));
        connect(index, peerNic, peerQp, attributes);
    }

    /** Where its appends arrive, for others to append to. */
    OpenQueue open() {
        AppendQueue own = queue;
        if (own == null) {
            throw new IllegalStateException(tenant.name() + " takes no appends");
        }
        return new OpenQueue(domain, completions, own);
    }

    /** More than can be sent before some are posted again, as far as a receive queue takes them. */
    private static int receives(MeasuredTenant tenant) {
        return Math.min(MAX_RECEIVES, 2 * tenant.depth());
    }

    private void postReceive(QueuePair own) {
        if (own.postReceive(0, region.key(), 0, tenant.bytes()) != PostResult.POSTED) {
            throw new RunException("the receive queue of " + own + " is full");
        }
    }

    /** Takes what has come, unless it is to be silent; polling gives the engine its turns. */
    int turn() {
        if (tenant.conduct() == Conduct.SILENT || tenant.conduct() == Conduct.UNREADY) {
            return 0;
        }
        long before = taken.getPlain();
        if (queue != null) {
            for (int i = 0; i < POLLS_PER_TURN && queue.poll(onMessage, LIMIT) == LIMIT; i++) {
                continue; // all that is there: who sends is not to be held up by who takes
            }
        }
        if (tenant.verb().takesReceives() || (++turns & POLL_INTERVAL_TURNS - 1) == 0) {
            for (int i = 0; i < POLLS_PER_TURN && completions.poll(onCompletion, LIMIT) == LIMIT; i++) {
                continue;
            }
        }
        return (int) (taken.getPlain() - before);
    }

    private void onCompletion(Completion completion) {
        WcOpcode opcode = completion.opcode();
        boolean received = opcode == WcOpcode.RECEIVE || opcode == WcOpcode.RECEIVE_WRITE_IMMEDIATE;
        if (!received || !completion.isSuccess()) {
            return; // receives that were flushed; requests there are none
        }
        take(completion.byteLength());
        int index = byNumber.get(completion.qpNumber());
        if (index != MISSING) {
            postReceive(queuePairs[index]);
        }
    }

    private void take(int length) {
        if (length != tenant.bytes()) {
            throw new RunException(
                    tenant.name() + " sends messages of " + tenant.bytes() + " bytes, and one of " + length + " came");
        }
        taken.lazySet(taken.getPlain() + 1);
    }

    /** Messages taken; WRITEs without immediate data are not seen here. Any thread. */
    long taken() {
        return taken.get();
    }
}
