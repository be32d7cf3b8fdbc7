package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.protocol.TransferDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Values that travel in pieces: uploads and streams, and what requests may do with them. Single-threaded, as the shard
 * that owns it.
 */
final class TransferOperations {
    /** The arguments of a transfer that are numbers come first, and are so many at most. */
    private static final int NUMBERS = 3;

    private final Execution e;
    private final Shard shard;
    private final OverflowGate gate;

    TransferOperations(Execution execution, Shard shard, OverflowGate gate) {
        e = execution;
        this.shard = shard;
        this.gate = gate;
    }

    void execute(KvOp op) {
        ClientTransfers client = e.transfers;
        if (client == null) {
            e.error(Errors.NO_TRANSFERS);
            return;
        }
        if (!areNumbers(Math.min(NUMBERS, e.argc()))) {
            return;
        }
        long id = e.request.argumentLong(0);
        switch (op) {
            case UPLOAD -> upload(client, id, false);
            case UPLOAD_REQUEST -> upload(client, id, true);
            case DISCARD_UPLOAD -> {
                client.discard(id);
                e.ok();
            }
            case READ_STREAM -> readStream(client, id);
            case CLOSE_STREAM -> {
                client.cancel(id);
                e.ok();
            }
            default -> throw new IllegalStateException(op.name());
        }
    }

    /** True if so many arguments are numbers of 8 bytes; else replies with an error. */
    boolean areNumbers(int count) {
        for (int i = 0; i < count; i++) {
            if (e.length(i) != Long.BYTES) {
                e.error(Errors.NOT_A_NUMBER);
                return false;
            }
        }
        return true;
    }

    private void upload(ClientTransfers client, long id, boolean request) {
        long total = e.request.argumentLong(1);
        long offset = e.request.argumentLong(2);
        int bytes = e.length(3);
        if (total < 0 || offset < 0 || bytes < 0 || bytes > TransferDescriptor.PIECE_LENGTH || offset > total - bytes) {
            e.error("ERR upload of " + total + " bytes has a piece of " + bytes + " at " + offset);
            return;
        }
        Upload upload = client.upload(id);
        if (upload == null) {
            upload = begin(client, id, request, total, offset, bytes);
        } else if (!upload.isRefused() && !(upload.continues(total, offset) && upload.isRequest() == request)) {
            client.refuse(id, gate.isLastTry() ? Errors.OUT_OF_MEMORY : Errors.UPLOAD_OUT_OF_ORDER);
        } else if (!upload.isRefused() && !upload.hasRoomFor(bytes) && !grow(upload, bytes) && !gate.waits()) {
            e.statistics.reject();
            client.refuse(id, Errors.OUT_OF_MEMORY);
        }
        if (upload == null || gate.waits()) {
            return;
        }
        byte[] refused = upload.isRefused() ? upload.error() : null;
        if (refused != null) {
            e.error(refused);
            return;
        }
        upload.put(e.in, e.at(3), bytes);
        e.ok();
    }

    /** Starts an upload with its first piece; null, after an error, if it cannot be started. */
    private @Nullable Upload begin(
            ClientTransfers client, long id, boolean request, long total, long offset, int bytes) {
        boolean isCut = offset != 0 && gate.isLastTry(); // those before it wait, and it must not
        if (offset != 0 && !isCut) {
            e.error(client.whyUnknown(id));
            return null;
        }
        if (!client.hasRoomForUpload()) {
            client.exceed(id);
            e.error(Errors.TOO_MANY_UPLOADS);
            return null;
        }
        if (total > TransferDescriptor.MAX_UPLOAD_LENGTH) {
            client.refuse(id, Errors.STRING_TOO_LONG);
            e.error(Errors.STRING_TOO_LONG);
            return null;
        }
        Upload upload = isCut ? null : take(client, id, request, (int) total, bytes);
        if (upload == null && !gate.waits()) {
            e.statistics.reject();
            client.refuse(id, Errors.OUT_OF_MEMORY);
            e.error(Errors.OUT_OF_MEMORY);
        }
        return upload;
    }

    /**
     * Takes memory for an upload: for all of it if nothing must be evicted for that, a request's apart from the data if
     * need be; else for those bytes that have come, lest an announcement drives out what is there. Null if there is
     * none, or it waits for some.
     */
    private @Nullable Upload take(ClientTransfers client, long id, boolean request, int length, int bytes) {
        int whole = ExtentCache.size(StringBlock.BYTES + length);
        Upload upload = null;
        if (shard.hasRoomWithoutEviction(whole)) {
            upload = tryBegin(client, id, request, length, length, client.allocator());
        }
        if (upload == null && request) {
            upload = tryBegin(client, id, true, length, length, shard.argumentMemory());
        }
        if (upload == null && shard.mayHaveRoomFor(whole)) {
            int capacity = Upload.capacity(length, bytes);
            if (shard.hasRoomFor(ExtentCache.size(StringBlock.BYTES + capacity))) {
                upload = tryBegin(client, id, request, length, capacity, client.allocator());
            } else {
                gate.waitForRoom();
            }
        }
        return upload;
    }

    private static @Nullable Upload tryBegin(
            ClientTransfers client, long id, boolean request, int length, int capacity, Allocator memory) {
        try {
            return request ? client.beginRequest(id, length, capacity, memory) : client.begin(id, length, capacity);
        } catch (AllocationFailedException failure) {
            return null;
        }
    }

    /**
     * Makes room for a piece, and evicts for it; false if there is none, or it waits for some. Both extents are held
     * for a moment.
     */
    private boolean grow(Upload upload, int bytes) {
        int capacity = Upload.capacity(upload.length(), upload.position() + bytes);
        int more =
                ExtentCache.size(StringBlock.BYTES + capacity) - upload.buffer().capacity();
        if (!shard.hasRoomFor(more)) {
            gate.waitForRoom();
            return false;
        }
        try {
            upload.grow(capacity);
            return true;
        } catch (AllocationFailedException failure) {
            return false;
        }
    }

    private void readStream(ClientTransfers client, long id) {
        long offset = e.request.argumentLong(1);
        long length = e.request.argumentLong(2);
        if (length <= 0 || length > TransferDescriptor.PIECE_LENGTH) {
            e.error("ERR length " + length + " of a read is not in 1 to " + TransferDescriptor.PIECE_LENGTH);
            return;
        }
        OpenStream stream = client.stream(id);
        if (stream == null) {
            e.error(Errors.UNKNOWN_STREAM);
        } else if (offset != stream.position) {
            e.error("ERR stream is read at " + offset + " and has been read to " + stream.position);
        } else {
            client.read(id, stream, (int) Math.min(length, stream.length - stream.position), e.reply);
        }
    }

    /** True if a request may use the uploads that it names; else replies with an error. */
    boolean areUploadsAllowed(KvOp op, RequestFlyweight request) {
        for (int i = 0; i < request.argc(); i++) {
            if (request.isUploaded(i) && !isUploadAllowed(op, request, i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isUploadAllowed(KvOp op, RequestFlyweight request, int argument) {
        if (argument != valueArgument(op)) {
            e.error("ERR argument " + argument + " of '" + op.lowerName() + "' cannot be an upload");
            return false;
        }
        byte[] error = error(request.uploadId(argument), false);
        if (error != null) {
            e.error(error);
            return false;
        }
        return e.fits(e.upload(argument).length());
    }

    /** The argument that may be an upload, or -1. */
    private static int valueArgument(KvOp op) {
        return switch (op) {
            case SET, SETNX, GETSET -> 1;
            case SETEX, PSETEX -> 2;
            default -> -1;
        };
    }

    /**
     * Why an upload cannot be used, or null if it can.
     *
     * @param request whether it is to be a whole request, and no argument
     */
    byte @Nullable [] error(long id, boolean request) {
        ClientTransfers client = e.transfers;
        if (client == null) {
            return Errors.NO_TRANSFERS;
        }
        Upload upload = client.upload(id);
        if (upload == null) {
            return client.whyUnknown(id);
        }
        byte[] error = upload.error();
        if (error != null || upload.isRequest() == request) {
            return error;
        }
        return request ? Errors.UPLOAD_IS_ARGUMENT : Errors.UPLOAD_IS_REQUEST;
    }

    /** Why one of a request's uploads cannot be used, or null if all can. */
    byte @Nullable [] error(RequestFlyweight request) {
        if (request.uploads() > 0) {
            for (int i = 0; i < request.argc(); i++) {
                byte[] error = request.isUploaded(i) ? error(request.uploadId(i), false) : null;
                if (error != null) {
                    return error;
                }
            }
        }
        return null;
    }

    /** Frees what a request has not made use of. */
    void discardUploads(RequestFlyweight request) {
        ClientTransfers client = e.transfers;
        if (client != null && request.uploads() > 0) {
            for (int i = 0; i < request.argc(); i++) {
                if (request.isUploaded(i)) {
                    client.discard(request.uploadId(i));
                }
            }
        }
    }
}
