package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.protocol.TransferDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Values that travel in pieces: uploads and streams, and what requests may do with them. Single-threaded, as the shard that
 * owns it.
 */
final class TransferOperations {
    /** The arguments of a transfer that are numbers come first, and are so many at most. */
    private static final int NUMBERS = 3;

    private final Execution e;
    private final Shard shard;

    TransferOperations(final Execution execution, final Shard shard) {
        e = execution;
        this.shard = shard;
    }

    void execute(final KvOp op) {
        final ClientTransfers client = e.transfers;
        if (client == null) {
            e.error(Errors.NO_TRANSFERS);
            return;
        }
        if (!areNumbers(Math.min(NUMBERS, e.argc()))) {
            return;
        }
        final long id = e.request.argumentLong(0);
        switch (op) {
            case UPLOAD -> upload(client, id);
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
    boolean areNumbers(final int count) {
        for (int i = 0; i < count; i++) {
            if (e.length(i) != Long.BYTES) {
                e.error(Errors.NOT_A_NUMBER);
                return false;
            }
        }
        return true;
    }

    private void upload(final ClientTransfers client, final long id) {
        final long total = e.request.argumentLong(1);
        final long offset = e.request.argumentLong(2);
        final int bytes = e.length(3);
        if (total < 0 || offset < 0 || bytes < 0 || bytes > TransferDescriptor.PIECE_LENGTH || offset > total - bytes) {
            e.error("ERR upload of " + total + " bytes has a piece of " + bytes + " at " + offset);
            return;
        }
        Upload upload = client.upload(id);
        if (upload == null) {
            upload = begin(client, id, total, offset, bytes);
        } else if (!upload.isRefused() && !upload.continues(total, offset)) {
            client.refuse(id, Errors.UPLOAD_OUT_OF_ORDER);
        } else if (!upload.isRefused() && !upload.hasRoomFor(bytes) && !grow(client, upload, bytes)) {
            e.statistics.reject();
            client.refuse(id, Errors.OUT_OF_MEMORY);
        }
        if (upload == null) {
            return;
        }
        final byte[] refused = upload.isRefused() ? upload.error() : null;
        if (refused != null) {
            e.error(refused);
            return;
        }
        upload.put(e.in, e.at(3), bytes);
        e.ok();
    }

    /** Starts an upload with its first piece; null, after an error, if it cannot be had. */
    private @Nullable Upload begin(
            final ClientTransfers client, final long id, final long total, final long offset, final int bytes) {
        if (offset != 0) {
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
        final int capacity = initialCapacity((int) total, bytes);
        if (capacity >= 0) {
            try {
                return client.begin(id, (int) total, capacity);
            } catch (final AllocationFailedException failure) {
                // Remembered below, as when the limit is reached.
            }
        }
        e.statistics.reject();
        client.refuse(id, Errors.OUT_OF_MEMORY);
        e.error(Errors.OUT_OF_MEMORY);
        return null;
    }

    /**
     * Bytes of an upload to have room for at first, or -1 if there is no room: all if nothing must be evicted for them, else
     * those that have come, lest an announcement drives out what is there.
     */
    private int initialCapacity(final int length, final int bytes) {
        final int whole = ExtentCache.size(StringBlock.BYTES + length);
        if (shard.hasRoomWithoutEviction(whole)) {
            return length;
        }
        if (!shard.mayHaveRoomFor(whole)) {
            return -1;
        }
        final int capacity = Upload.capacity(length, bytes);
        return shard.hasRoomFor(ExtentCache.size(StringBlock.BYTES + capacity)) ? capacity : -1;
    }

    /** Makes room for a piece, and evicts for it; false if there is none. Both extents are held for a moment. */
    private boolean grow(final ClientTransfers client, final Upload upload, final int bytes) {
        final int capacity = Upload.capacity(upload.length(), upload.position() + bytes);
        final int more =
                ExtentCache.size(StringBlock.BYTES + capacity) - upload.buffer().capacity();
        if (!shard.hasRoomFor(more)) {
            return false;
        }
        try {
            client.grow(upload, capacity);
            return true;
        } catch (final AllocationFailedException failure) {
            return false;
        }
    }

    private void readStream(final ClientTransfers client, final long id) {
        final long offset = e.request.argumentLong(1);
        final long length = e.request.argumentLong(2);
        if (length <= 0 || length > TransferDescriptor.PIECE_LENGTH) {
            e.error("ERR length " + length + " of a read is not in 1 to " + TransferDescriptor.PIECE_LENGTH);
            return;
        }
        final OpenStream stream = client.stream(id);
        if (stream == null) {
            e.error(Errors.UNKNOWN_STREAM);
        } else if (offset != stream.position) {
            e.error("ERR stream is read at " + offset + " and has been read to " + stream.position);
        } else {
            client.read(id, stream, (int) Math.min(length, stream.length - stream.position), e.reply);
        }
    }

    /** True if a request may use the uploads that it names; else replies with an error. */
    boolean areUploadsAllowed(final KvOp op, final RequestFlyweight request) {
        for (int i = 0; i < request.argc(); i++) {
            if (request.isUploaded(i) && !isUploadAllowed(op, request, i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isUploadAllowed(final KvOp op, final RequestFlyweight request, final int argument) {
        if (argument != valueArgument(op)) {
            e.error("ERR argument " + argument + " of '" + op.lowerName() + "' cannot be an upload");
            return false;
        }
        final byte[] error = error(request.uploadId(argument));
        if (error != null) {
            e.error(error);
            return false;
        }
        return e.fits(e.upload(argument).length());
    }

    /** The argument that may be an upload, or -1. */
    private static int valueArgument(final KvOp op) {
        return switch (op) {
            case SET, SETNX, GETSET -> 1;
            case SETEX, PSETEX -> 2;
            default -> -1;
        };
    }

    /** Why an upload cannot be used, or null if it can. */
    byte @Nullable [] error(final long id) {
        final ClientTransfers client = e.transfers;
        if (client == null) {
            return Errors.NO_TRANSFERS;
        }
        final Upload upload = client.upload(id);
        return upload == null ? client.whyUnknown(id) : upload.error();
    }

    /** Why one of a request's uploads cannot be used, or null if all can. */
    byte @Nullable [] error(final RequestFlyweight request) {
        if (request.uploads() > 0) {
            for (int i = 0; i < request.argc(); i++) {
                final byte[] error = request.isUploaded(i) ? error(request.uploadId(i)) : null;
                if (error != null) {
                    return error;
                }
            }
        }
        return null;
    }

    /** Frees what a request has not made use of. */
    void discardUploads(final RequestFlyweight request) {
        final ClientTransfers client = e.transfers;
        if (client != null && request.uploads() > 0) {
            for (int i = 0; i < request.argc(); i++) {
                if (request.isUploaded(i)) {
                    client.discard(request.uploadId(i));
                }
            }
        }
    }
}
