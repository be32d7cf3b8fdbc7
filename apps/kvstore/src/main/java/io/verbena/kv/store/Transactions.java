package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.ReplyTooLargeException;
import io.verbena.kv.protocol.RequestFlyweight;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** The transactions of a {@link Shard}: requests in a request, executed one after the other with nothing in between. */
final class Transactions {
    /** Room that each request of a transaction has in its reply, come what may: for a number, or a short error. */
    private static final int REPLY_ROOM_PER_REQUEST = 64;

    private final Execution execution;
    private final TransferOperations transferring;
    private final Shard shard;
    private final OverflowGate gate;
    /** The requests of a transaction, while {@link Execution#request} is one of them. */
    private final RequestFlyweight requests = new RequestFlyweight();

    Transactions(Execution execution, TransferOperations transferring, Shard shard, OverflowGate gate) {
        this.execution = execution;
        this.transferring = transferring;
        this.shard = shard;
        this.gate = gate;
    }

    /**
     * Moves in the values that the requests of a transaction need. Those that are malformed need none.
     *
     * @return false if that takes time
     * @throws ProtocolException if the transaction is malformed
     */
    boolean prepare(DirectBuffer buffer, int offset, int length) {
        boolean ready = true;
        requests.wrap(buffer, offset, length);
        RequestFlyweight request = execution.request;
        for (int i = 0; i < requests.argc(); i++) {
            if (!requests.isUploaded(i)) {
                request.wrap(requests.buffer(), requests.argumentOffset(i), requests.argumentLength(i));
                KvOp op = request.op();
                ready &= op == null || op == KvOp.TRANSACTION || gate.prepare(op);
            }
        }
        request.wrap(buffer, offset, length);
        return ready;
    }

    /**
     * Checks every request of a transaction before the first is executed.
     *
     * @return why none can be, or null
     * @throws ProtocolException if one is malformed or cannot be part of a transaction
     */
    byte @Nullable [] read(DirectBuffer buffer, int offset, int length) {
        byte[] error = null;
        requests.wrap(buffer, offset, length);
        RequestFlyweight request = execution.request;
        for (int i = 0; i < requests.argc(); i++) {
            if (requests.isUploaded(i)) {
                throw new ProtocolException("request " + i + " of a transaction was uploaded");
            }
            request.wrap(requests.buffer(), requests.argumentOffset(i), requests.argumentLength(i));
            KvOp op = request.op();
            if (op == null || op == KvOp.TRANSACTION || op.group() == KvOp.Group.TRANSFER) {
                throw new ProtocolException(
                        "operation code " + request.opCode() + " cannot be request " + i + " of a transaction");
            }
            if (error == null) {
                error = transferring.error(request);
            }
        }
        request.wrap(buffer, offset, length);
        return error;
    }

    /**
     * Executes the requests of a requests. Each of those that are left always has room for an error in the reply, so
     * that the client learns of each whether it happened.
     *
     * @param refusal why none is executed, or null
     */
    void execute(byte @Nullable [] refusal, ReplyEncoder reply) {
        RequestFlyweight request = execution.request;
        if (refusal != null) {
            execution.error(refusal);
            discardUploads(request);
            return;
        }
        int count = requests.argc();
        int limit = reply.limit();
        int maximum = (limit - reply.length()) / REPLY_ROOM_PER_REQUEST - 1;
        if (count > maximum) {
            execution.error("ERR transaction of " + count + " requests > maximum " + maximum + " for a reply of up to "
                    + limit + " bytes");
            discardUploads(request);
            return;
        }
        try {
            reply.reserve((long) (count + 1) * REPLY_ROOM_PER_REQUEST);
        } catch (ReplyTooLargeException tooLarge) {
            execution.error("ERR " + tooLarge.getMessage());
            discardUploads(request);
            return;
        }
        reply.array(count);
        ClientTransfers client = execution.transfers;
        for (int i = 0; i < count; i++) {
            int length = requests.argumentLength(i);
            request.wrap(requests.buffer(), requests.argumentOffset(i), length);
            reply.limit(limit - (count - 1 - i) * REPLY_ROOM_PER_REQUEST);
            int mark = reply.length();
            long streamMark = client == null ? 0 : client.mark();
            try {
                shard.executeOne(required(request.op()), length, reply);
            } catch (ReplyTooLargeException tooLarge) {
                // A long error: the request changed nothing.
                shard.drop(reply, mark, streamMark);
                execution.error(Errors.NO_REPLY_ROOM);
            }
        }
    }

    /** Lets go of what the requests of a transaction have uploaded that are not executed. */
    private void discardUploads(RequestFlyweight request) {
        for (int i = 0; i < requests.argc(); i++) {
            transferring.discardUploads(
                    request.wrap(requests.buffer(), requests.argumentOffset(i), requests.argumentLength(i)));
        }
    }

    private static KvOp required(@Nullable KvOp op) {
        if (op == null) {
            throw new IllegalStateException("a request changed while it was executed");
        }
        return op;
    }
}
