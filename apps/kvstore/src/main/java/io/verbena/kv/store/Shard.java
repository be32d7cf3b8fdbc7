package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.ReplyTooLargeException;
import io.verbena.kv.protocol.RequestFlyweight;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One shard of the store: the keys that hash to it in 16 databases, in off-heap memory of its own. It executes one
 * request at a time and answers it; semantics and texts are those of Redis 7.0.
 *
 * <p>Single-threaded by contract: whoever calls it must be the only one at that time, with a happens-before edge
 * between one caller and the next. It holds no thread and no lock, and waits for nothing. In steady state it allocates
 * nothing on the Java heap, save for errors with text of their own and for INCRBYFLOAT.
 *
 * <p>Time is given by the clock that it was made with, and only moves between requests.
 */
public final class Shard implements AutoCloseable {
    private static final int RECLAIM_PER_REQUEST = 16;
    private static final int REHASH_STEPS_PER_TURN = 64;
    /** Memory that is given back to the process in one turn of housekeeping, in chunks. */
    private static final int RELEASES_PER_TURN = 8;
    /** How often a request is tried again after more room was made; each time twice as much is made. */
    private static final int MAX_RETRIES = 12;

    private final ShardContext context;
    private final LongSupplier clock;
    private final Allocator allocator;
    /** Where requests are collected while there is no room for them beside the data. */
    private final Allocator argumentMemory;

    private final StreamIds streamIds = new StreamIds();
    private final ShardStatistics statistics = new ShardStatistics();
    private final EvictionPool evictionPool;
    private final Values values;
    private final Keyspace[] databases;
    private final @Nullable ReadIndex readIndex;
    private final OverflowGate gate;
    private final Eviction eviction;
    private final Execution execution;
    private final Transactions transactions;

    private final Operations operations;
    private boolean closed;

    /**
     * Creates an empty shard.
     *
     * @param context settings
     * @param clock Unix time in milliseconds; asked once a request
     */
    public Shard(ShardContext context, LongSupplier clock) {
        this(context, clock, new Memory(), (memory, budget) -> new Allocator(memory, budget, context::allocate));
    }

    /** Makes the allocator of a shard from its memory and budget; tests have one that fails. */
    @FunctionalInterface
    interface AllocatorFactory {
        Allocator create(Memory memory, long budget);
    }

    Shard(ShardContext context, LongSupplier clock, Memory memory, AllocatorFactory allocators) {
        this.context = context;
        this.clock = clock;
        allocator = allocators.create(memory, context.memoryBudget() == 0 ? Long.MAX_VALUE : context.memoryBudget());
        argumentMemory = new Allocator(new Memory(), context.argumentBudget(), context::allocate);
        SplittableRandom random = new SplittableRandom(context.seed());
        SipHash hash = context.newHash();
        Dictionary dictionary = new Dictionary(memory, allocator, hash, Keyspace.VALUE_LENGTH);
        evictionPool = new EvictionPool(context.evictionSamples(), random);
        values = new Values(memory, allocator, hash, random, dictionary);
        UnsafeBuffer region = context.readIndex();
        readIndex = region == null ? null : new ReadIndex(memory, dictionary, region, context.readSlotLength());
        databases = new Keyspace[context.databases()];
        for (int i = 0; i < databases.length; i++) {
            databases[i] = new Keyspace(memory, allocator, dictionary, values, evictionPool, statistics, i, readIndex);
        }
        ShardContext.OverflowRange range = context.overflow();
        Overflow overflow =
                range == null ? null : new Overflow(memory, allocator, values, range, databases, evictionPool);
        values.overflow(overflow);
        eviction = new Eviction(context, allocator, values.reclaimer(), databases, evictionPool, statistics, overflow);
        execution = new Execution(memory, values, databases, statistics, random, context);
        gate = new OverflowGate(overflow, eviction, execution);
        operations = new Operations(execution, this, gate);
        transactions = new Transactions(execution, operations.transfers(), this, gate);
    }

    /**
     * Executes a request and writes its reply, which may be an error.
     *
     * @param buffer that holds the request
     * @param offset of its first byte
     * @param length of the request in bytes
     * @param reply receives the reply; begun here
     * @throws ProtocolException if the request is malformed; nothing was executed and the reply was not touched
     */
    public void execute(DirectBuffer buffer, int offset, int length, ReplyEncoder reply) {
        execute(buffer, offset, length, reply, null);
    }

    /**
     * Executes a request of a client that takes and gives large values in pieces, and writes its reply, which may be an
     * error or name streams.
     *
     * @param buffer that holds the request
     * @param offset of its first byte
     * @param length of the request in bytes
     * @param reply receives the reply; begun here
     * @param client whose request it is; null for one that takes and gives everything at once
     * @return true if the reply is to be sent
     * @throws ProtocolException if the request is malformed; nothing was executed
     */
    public boolean execute(
            DirectBuffer buffer, int offset, int length, ReplyEncoder reply, @Nullable ClientTransfers client) {
        if (closed) {
            throw new IllegalStateException("shard is closed");
        }
        Execution e = execution;
        e.transfers = client;
        e.reply = reply;
        e.now = clock.getAsLong();
        RequestFlyweight request = e.request.wrap(buffer, offset, length);
        boolean replyWanted = request.isReplyWanted() && (client == null || client.maxReply() >= 0);
        if (client != null) {
            client.newRequest();
        }
        long mark = client == null ? 0 : client.mark();
        boolean told = false;
        gate.begin();
        try {
            if (request.op() == KvOp.EXECUTE_UPLOADED) {
                executeUploaded(request, reply);
            } else {
                executeWhole(buffer, offset, length, reply);
            }
            if (!gate.waits() && client != null && replyWanted && reply.length() > client.maxReply()) {
                hold(client, mark, reply);
            }
            told = replyWanted && !gate.waits();
        } finally {
            if (!told && client != null) {
                client.rollBack(mark);
            }
            if (readIndex != null) {
                readIndex.publish();
            }
        }
        if (!values.reclaimer().isIdle()) {
            values.reclaimer().work(RECLAIM_PER_REQUEST);
        }
        return told;
    }

    /**
     * Whether the last request could not be executed, because values that it needs are out, or because values have to
     * be moved out for it and cannot be at once. Nothing has changed then, and there is no reply: it is to be executed
     * again some time later. Only with {@link ShardContext#overflow}.
     */
    public boolean waits() {
        return gate.waits();
    }

    /**
     * Says whether requests from now on are the last try: what would have to wait is answered with an error.
     *
     * @param last whether they are
     */
    public void lastTry(boolean last) {
        gate.lastTry(last);
    }

    /** Executes a request that is here as a whole, and that the flyweight holds. */
    private void executeWhole(DirectBuffer buffer, int offset, int length, ReplyEncoder reply) {
        RequestFlyweight request = execution.request;
        KvOp op = request.op();
        if (op == null) {
            throw new ProtocolException("operation code " + request.opCode() + " is unknown");
        }
        if (gate.mustWait(op, transactions, buffer, offset, length)) {
            return;
        }
        ClientTransfers client = execution.transfers;
        // Only what ends streams, or opens none, can go on without room for a reply that must be held.
        byte[] refusal = client == null || client.hasRoomForReply() || op.group() == KvOp.Group.TRANSFER
                ? null
                : Errors.TOO_MANY_STREAMS;
        int given = reply.limit();
        reply.limit(Math.min(given, context.maxReplyLength()));
        try {
            if (op == KvOp.TRANSACTION) {
                byte[] error = transactions.read(buffer, offset, length);
                reply.begin(request.correlation());
                transactions.execute(error == null ? refusal : error, reply);
            } else if (refusal != null) {
                reply.begin(request.correlation());
                execution.error(refusal);
                operations.transfers().discardUploads(request);
            } else {
                reply.begin(request.correlation());
                executeOne(op, length, reply);
            }
        } finally {
            reply.limit(given);
        }
    }

    /** Executes a request that was uploaded. */
    private void executeUploaded(RequestFlyweight request, ReplyEncoder reply) {
        ClientTransfers client = execution.transfers;
        reply.begin(request.correlation());
        execution.op = KvOp.EXECUTE_UPLOADED;
        if (!KvOp.EXECUTE_UPLOADED.accepts(request.argc())) {
            execution.arityError();
            return;
        }
        if (!operations.transfers().areNumbers(1)) {
            return;
        }
        long id = request.argumentLong(0);
        byte[] error = operations.transfers().error(id, true);
        Upload upload = client == null || error != null ? null : client.upload(id);
        try {
            if (upload == null) {
                execution.error(error == null ? Errors.UNKNOWN_UPLOAD : error);
                return;
            }
            request.wrap(upload.buffer(), StringBlock.BYTES, upload.length());
            KvOp op = request.op();
            if (op != null && op.group() == KvOp.Group.TRANSFER) {
                throw new ProtocolException("operation " + op + " cannot be uploaded");
            }
            executeWhole(upload.buffer(), StringBlock.BYTES, upload.length(), reply);
        } finally {
            if (client != null && !gate.waits()) {
                client.discard(id);
            }
        }
    }

    /** Keeps a reply that is too long for a message. */
    private void hold(ClientTransfers client, long mark, ReplyEncoder reply) {
        try {
            client.hold(reply, mark);
        } catch (TooManyStreamsException tooMany) {
            // Not of a request that changes anything: it was refused before.
            client.rollBack(mark);
            reply.discard();
            execution.error(Errors.TOO_MANY_STREAMS);
        }
    }

    /** Executes a request that {@link Execution#request} holds, behind what has been replied so far. */
    void executeOne(KvOp op, int length, ReplyEncoder reply) {
        Execution e = execution;
        int mark = reply.length();
        ClientTransfers client = e.transfers;
        long streamMark = client == null ? 0 : client.mark();
        e.op = op;
        e.resp3 = e.request.isResp3();
        try {
            tryOne(op, length, reply, mark, streamMark);
        } finally {
            if (!gate.waits()) {
                statistics.call(op);
                if (e.request.uploads() > 0) {
                    operations.transfers().discardUploads(e.request);
                }
            }
        }
    }

    private void tryOne(KvOp op, int length, ReplyEncoder reply, int mark, long streamMark) {
        Execution e = execution;
        int retries = 0;
        while (true) {
            try {
                if (isAdmitted(op, e.request, length)) {
                    gate.require(op);
                    operations.execute(op);
                }
                return;
            } catch (OverflowException lost) {
                gate.fail(lost);
                return;
            } catch (ReplyTooLargeException tooLarge) {
                drop(reply, mark, streamMark);
                e.error("ERR " + tooLarge.getMessage());
                return;
            } catch (TooManyStreamsException tooMany) {
                drop(reply, mark, streamMark);
                e.error(Errors.TOO_MANY_STREAMS);
                return;
            } catch (AllocationFailedException failure) {
                drop(reply, mark, streamMark);
                if (retries == MAX_RETRIES || !eviction.makeRoomFor(failure, 1 << retries, e.now)) {
                    if (!gate.waitsForMemory()) {
                        outOfMemory();
                    }
                    return;
                }
                retries++;
            } catch (OutOfMemoryError exhausted) {
                // The Java heap: what an operation needs of it, it takes before it changes anything.
                drop(reply, mark, streamMark);
                outOfMemory();
                return;
            }
        }
    }

    /** Drops what an operation has replied so far. */
    void drop(ReplyEncoder reply, int mark, long streamMark) {
        reply.discardTo(mark);
        ClientTransfers client = execution.transfers;
        if (client != null) {
            client.rollBack(streamMark);
        }
    }

    private void outOfMemory() {
        statistics.reject();
        execution.error(Errors.OUT_OF_MEMORY);
    }

    private boolean isAdmitted(KvOp op, RequestFlyweight request, int length) {
        Execution e = execution;
        if (!op.accepts(request.argc())) {
            e.arityError();
            return false;
        }
        if (request.database() >= databases.length) {
            e.error(Errors.DATABASE_OUT_OF_RANGE);
            return false;
        }
        e.keyspace = databases[request.database()];
        if (request.uploads() > 0 && !operations.transfers().areUploadsAllowed(op, request)) {
            return false;
        }
        // A shorter request cannot break the limits on keys and values.
        if ((length > ShardContext.MAX_KEY_LENGTH || length > context.maxValueLength())
                && !execution.areLengthsAllowed(op)) {
            return false;
        }
        if (!gate.hasRoom() && op.isDeniedOnOom()) {
            statistics.reject();
            e.error(Errors.OUT_OF_MEMORY);
            return false;
        }
        return true;
    }

    /** Whether there is room for a block of that size within the limit as things are. */
    boolean hasRoomWithoutEviction(int size) {
        return eviction.hasRoom(size);
    }

    /** Whether there may be room for a block of that size after evicting what may be evicted. */
    boolean mayHaveRoomFor(int size) {
        return eviction.mayMakeRoom(size);
    }

    /** Whether there is room for a block of that size within the limit, after evicting what may be evicted. */
    boolean hasRoomFor(int size) {
        return eviction.makeRoom(size, execution.now);
    }

    /** Where requests are collected while there is no room for them beside the data. */
    Allocator argumentMemory() {
        return argumentMemory;
    }

    /**
     * Does what need not be done within a request: removes keys whose time is over, moves hash tables to their new
     * size, frees large values that were deleted, and has memory ready.
     *
     * @param nowMillis Unix time in milliseconds
     * @param maxWork how many keys, buckets and blocks to touch at most
     * @return how much was done; less than the maximum if nothing is left to do
     */
    public int housekeep(long nowMillis, int maxWork) {
        int work = 0;
        for (Keyspace database : databases) {
            work += database.expire(nowMillis, maxWork - work);
            work += database.rehash(Math.min(REHASH_STEPS_PER_TURN, maxWork - work));
        }
        work += values.reclaimer().work(maxWork - work);
        if (work < maxWork) {
            work += allocator.releaseRetired(RELEASES_PER_TURN);
        }
        if (work < maxWork && allocator.prepare()) {
            work++;
        }
        allocator.releaseIdleExtents(nowMillis);
        argumentMemory.releaseIdleExtents(nowMillis);
        return work;
    }

    /** Removes all keys of all databases. Takes time in proportion to the memory held, not to the keys. */
    void flushAll() {
        if (readIndex != null) {
            readIndex.cleared(); // once, and not for each database
        }
        for (Keyspace database : databases) {
            database.forget();
        }
        evictionPool.clear();
        values.reclaimer().clear();
        gate.clear();
        allocator.reset();
    }

    /**
     * Begins to transfer values in pieces with a client.
     *
     * @param maxReply longest reply in bytes that the client takes at once: a longer one is held; negative if it takes
     *     none
     * @return what to name with each request of the client, and to close when the client has gone
     */
    public ClientTransfers newTransfers(int maxReply) {
        return new ClientTransfers(allocator, streamIds, maxReply);
    }

    /** @return what was counted since the shard was made */
    public ShardStatistics statistics() {
        return statistics;
    }

    /**
     * @param database 0 to the number of databases - 1
     * @return keys in it, those included whose time is over and which nobody has asked for since
     */
    public int keys(int database) {
        return databases[database].size();
    }

    /**
     * @param database 0 to the number of databases - 1
     * @return keys in it that expire
     */
    public int expiringKeys(int database) {
        return databases[database].expiringSize();
    }

    /** @return what was moved to {@link ShardContext#overflow} */
    public OverflowStatistics overflow() {
        return gate.statistics();
    }

    /** @return number of databases */
    public int databases() {
        return databases.length;
    }

    /** @return keys that clients find by one-sided READs; 0 without {@link ShardContext#readIndex} */
    public int publishedKeys() {
        return readIndex == null ? 0 : readIndex.size();
    }

    /** @return bytes of all blocks in use, with their rounding: what {@link ShardContext#maxMemory} limits */
    public long usedMemory() {
        return allocator.used();
    }

    /**
     * @return bytes of direct memory held from the process, without those for requests that are collected beside the
     * data
     */
    public long committedMemory() {
        return allocator.committed();
    }

    /** @return bytes of direct memory that may be held from the process, {@link Long#MAX_VALUE} for no limit */
    public long memoryBudget() {
        return allocator.budget();
    }

    /** Frees all memory. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (readIndex != null) {
                readIndex.close(); // its region may go at any time from now on
            }
            flushAll();
            allocator.close();
            argumentMemory.close();
        }
    }
}
