package io.verbena.kv.server;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.store.ClientTransfers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one client that wait for the shard's overflow, copied. Requests that name other keys overtake them; those
 * that name one of theirs, or no key, or are a transaction wait behind them: what a client asks about a key is executed
 * in its order.
 *
 * <pre>
 *   GET a    waits for a's value
 *   GET b    is executed: it overtakes
 *   SET a 1  waits behind GET a
 *   DBSIZE   waits behind both, and all that follows behind it
 *   UPLOAD   waits for room; what belongs to that upload, or uses it, waits behind it
 * </pre>
 *
 * <p>Used by the shard's owner alone.
 */
final class WaitingRequests {
    /** Requests above which the client's further ones are parked. */
    static final int MAX = 1024;

    /** Parts of uploads that wait: pieces above that fail, and a client that sends yet more is too far behind. */
    static final int MAX_OF_UPLOADS = 2048;

    /** Longest request that was uploaded and is read while it waits, in bytes; longer ones hold up all that follow. */
    private static final int MAX_UPLOADED = 512 << 10;

    /** Bytes of a key that tell it from others here. */
    private static final int HASHED = 256;

    /** Requests that are tried when something has changed; the others' turn comes when these are over. */
    private static final int MAX_TRIED = 128;

    /** Longest buffer that is kept for a request to come. */
    private static final int MAX_SPARE_LENGTH = 4096;

    private static final int KEYS = 4096;
    private static final int HASH_FACTOR = 0x01000193;

    private final ClientTransfers transfers;
    private final List<Waiting> requests = new ArrayList<>();
    private final List<Waiting> spare = new ArrayList<>();
    private final RequestFlyweight request = new RequestFlyweight();
    private int @Nullable [] keys; // how many requests name a key of that hash
    private int keyed; // requests that name keys
    private int ofUploads; // requests that are parts of uploads
    private int barriers; // requests that hold up all that follow
    private final LongHashSet uploads = new LongHashSet(); // whose pieces wait: they hold up what belongs to them
    private long bytes;

    /** A request. */
    private static final class Waiting {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        int length;
        long deadlineMillis;
    }

    /** Tries a request once more. */
    @FunctionalInterface
    interface Try {
        /** @return whether the request is over */
        boolean execute(ReplyTarget target, DirectBuffer buffer, int offset, int length, boolean lastTry);
    }

    /**
     * Creates it, empty.
     *
     * @param transfers the client's, which requests that were uploaded are read from
     */
    WaitingRequests(ClientTransfers transfers) {
        this.transfers = transfers;
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    boolean isFull() {
        return requests.size() - ofUploads >= MAX;
    }

    /** Parts of uploads. */
    int ofUploads() {
        return ofUploads;
    }

    int size() {
        return requests.size();
    }

    long bytes() {
        return bytes;
    }

    /** Whether a request has to wait behind those that wait. */
    boolean holdsUp(DirectBuffer buffer, int offset, int length) {
        return !requests.isEmpty() && isHeldUp(buffer, offset, length);
    }

    private boolean isHeldUp(DirectBuffer buffer, int offset, int length) {
        KvOp op = read(buffer, offset, length);
        if (op == null) {
            return false;
        }
        if (!uploads.isEmpty() && isOfThem(op)) {
            return true;
        }
        if (op.group() == KvOp.Group.TRANSFER && op != KvOp.EXECUTE_UPLOADED) {
            return false;
        }
        if (barriers > 0 || (isBarrier(op) && keyed > 0)) {
            return true;
        }
        int[] counts = keys;
        if (isBarrier(op)) {
            return false;
        }
        boolean held = false;
        for (int i = op.firstKey(); i <= op.lastKey(request.argc()) && !held; i += op.keyStep()) {
            held = counts != null && counts[hash(i)] > 0;
        }
        return held;
    }

    /** Its operation, that of an uploaded one if all of it is here; null if it cannot be read. */
    private @Nullable KvOp read(DirectBuffer buffer, int offset, int length) {
        try {
            KvOp op = request.wrap(buffer, offset, length).op();
            if (op == KvOp.EXECUTE_UPLOADED
                    && op.accepts(request.argc())
                    && request.argumentLength(0) == Long.BYTES
                    && !uploads.contains(request.argumentLong(0))
                    && transfers.readUploaded(request.argumentLong(0), MAX_UPLOADED, request)) {
                op = request.op();
            }
            return op == null || !op.accepts(request.argc()) ? null : op;
        } catch (ProtocolException e) {
            return null; // who executes it says why
        }
    }

    /** Whether the request that {@link #request} holds belongs to an upload whose pieces wait, or may use one. */
    private boolean isOfThem(KvOp op) {
        if (op == KvOp.TRANSACTION) {
            return true; // whose requests are not looked at here
        }
        if (isOfUpload(op) || op == KvOp.EXECUTE_UPLOADED) {
            return request.argumentLength(0) == Long.BYTES && uploads.contains(request.argumentLong(0));
        }
        boolean uses = false;
        int arguments = op.group() == KvOp.Group.TRANSFER || request.uploads() == 0 ? 0 : request.argc();
        for (int i = 0; i < arguments && !uses; i++) {
            uses = request.isUploaded(i) && uploads.contains(request.uploadId(i));
        }
        return uses;
    }

    private static boolean isOfUpload(KvOp op) {
        return op == KvOp.UPLOAD || op == KvOp.UPLOAD_REQUEST || op == KvOp.DISCARD_UPLOAD;
    }

    /** Whether a request carries bytes of an upload. */
    boolean isPieceOfUpload(DirectBuffer buffer, int offset, int length) {
        KvOp op = read(buffer, offset, length);
        return op == KvOp.UPLOAD || op == KvOp.UPLOAD_REQUEST;
    }

    private static boolean isBarrier(KvOp op) {
        return op.firstKey() < 0;
    }

    private int hash(int argument) {
        int hash = 0;
        int at = request.argumentOffset(argument);
        for (int i = 0; i < Math.min(request.argumentLength(argument), HASHED); i++) {
            hash = hash * HASH_FACTOR + request.buffer().getByte(at + i);
        }
        return (hash ^ hash >>> 16) & KEYS - 1;
    }

    /** Keeps a request. */
    void add(DirectBuffer buffer, int offset, int length, long deadlineMillis) {
        Waiting waiting = spare.isEmpty() ? new Waiting() : spare.remove(spare.size() - 1);
        waiting.buffer.putBytes(0, buffer, offset, length);
        waiting.length = length;
        waiting.deadlineMillis = deadlineMillis;
        requests.add(waiting);
        bytes += length;
        note(waiting);
    }

    private void note(Waiting waiting) {
        KvOp op = read(waiting.buffer, 0, waiting.length);
        if (op == null) {
            return;
        }
        if (isOfUpload(op)) {
            ofUploads++;
            if (request.argumentLength(0) == Long.BYTES) {
                uploads.add(request.argumentLong(0));
            }
            return;
        }
        if (isBarrier(op)) {
            barriers++;
            return;
        }
        keyed++;
        int[] counts = keys;
        if (counts == null) {
            counts = new int[KEYS];
            keys = counts;
        }
        for (int i = op.firstKey(); i <= op.lastKey(request.argc()); i += op.keyStep()) {
            counts[hash(i)]++;
        }
    }

    private void forgetKeys() {
        barriers = 0;
        ofUploads = 0;
        uploads.clear();
        keyed = 0;
        if (keys != null) {
            Arrays.fill(keys, 0);
        }
    }

    /**
     * Tries those again that nothing holds up, in their order, as long as the client takes its replies.
     *
     * @return requests that are over
     */
    int run(ReplyTarget target, Try once, long nowMillis) {
        forgetKeys();
        int kept = 0;
        int tried = 0;
        int next = 0;
        int count = requests.size();
        try {
            while (next < count) {
                Waiting each = requests.get(next);
                boolean over = false;
                if (tried < MAX_TRIED && !target.isBehind() && !isHeldUp(each.buffer, 0, each.length)) {
                    tried++;
                    over = once.execute(target, each.buffer, 0, each.length, nowMillis >= each.deadlineMillis);
                    if (target.isGone()) {
                        return next;
                    }
                }
                next++;
                if (over) {
                    bytes -= each.length;
                    recycle(each);
                } else {
                    requests.set(kept++, each);
                    note(each);
                }
            }
        } finally {
            if (!target.isGone()) { // whatever was thrown, what is over is not done again
                while (next < count) {
                    requests.set(kept++, requests.get(next++));
                }
                requests.subList(kept, count).clear();
            }
        }
        return count - kept;
    }

    private void recycle(Waiting waiting) {
        if (spare.size() < MAX_TRIED && waiting.buffer.capacity() <= MAX_SPARE_LENGTH) {
            spare.add(waiting);
        }
    }

    /** The client has gone. */
    void clear() {
        requests.clear();
        spare.clear();
        forgetKeys();
        bytes = 0;
    }
}
