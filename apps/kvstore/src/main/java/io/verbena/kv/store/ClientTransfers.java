package io.verbena.kv.store;

import io.verbena.kv.protocol.ReplyDescriptor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestFlyweight;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one client transfers in pieces to and from a shard, see {@link io.verbena.kv.protocol.TransferDescriptor}: its
 * uploads, and the streams that it reads. Their memory is the shard's and counts as used, save for that of replies that
 * are held: a command that was executed can always be answered, so that its reply stays in the memory that it was
 * written into, see {@link #heldBytes}. {@link #close} gives back what the client has left.
 *
 * <p>Single-threaded, as the shard that made it.
 */
public final class ClientTransfers implements AutoCloseable {
    /** Greatest number of open uploads of a client, those included that were refused and not used since. */
    public static final int MAX_UPLOADS = 1024;
    /**
     * Greatest number of open streams of a client; a reply that is held may be one more. One request may open half of
     * those that are left, so that what many share is not one's.
     */
    public static final int MAX_STREAMS = 65_536;

    private final Allocator allocator;
    private final StreamIds ids;
    private final int maxReply;
    private final Long2ObjectHashMap<Upload> uploads;
    private final Long2ObjectHashMap<OpenStream> streams;
    /** The least and the greatest id of the uploads that were one too many, which are not remembered one by one. */
    private long leastExcess = Long.MAX_VALUE;

    private long greatestExcess = Long.MIN_VALUE;
    private long heldBytes;
    /** Was read to its end by a reply that may not have been sent yet. */
    private @Nullable OpenStream ended;

    /** Streams that may be open when the present request has been executed. */
    private int streamLimit = MAX_STREAMS;

    private boolean closed;

    ClientTransfers(Allocator allocator, StreamIds ids, int maxReply) {
        this(allocator, ids, maxReply, new Long2ObjectHashMap<>(), new Long2ObjectHashMap<>());
    }

    /** With maps of the caller's: tests have some that fail. */
    ClientTransfers(
            Allocator allocator,
            StreamIds ids,
            int maxReply,
            Long2ObjectHashMap<Upload> uploads,
            Long2ObjectHashMap<OpenStream> streams) {
        this.allocator = allocator;
        this.ids = ids;
        this.maxReply = maxReply;
        this.uploads = uploads;
        this.streams = streams;
    }

    /** @return bytes of replies that are held for the client, outside of the shard's budget */
    public long heldBytes() {
        return heldBytes;
    }

    /** @return number of open uploads, those included that were refused */
    public int uploads() {
        return uploads.size();
    }

    /** @return number of open streams */
    public int streams() {
        return streams.size();
    }

    /** Longest reply that goes out at once; negative if the client takes none. */
    int maxReply() {
        return maxReply;
    }

    /** An upload, or null if there is none of that id. */
    @Nullable
    Upload upload(long id) {
        return uploads.get(id);
    }

    /**
     * Reads a request that was uploaded.
     *
     * @param longest most bytes of it
     * @return whether there is one of that id, and all of it, and it is no longer
     * @throws io.verbena.kv.protocol.ProtocolException if it cannot be read
     */
    public boolean readUploaded(long id, int longest, RequestFlyweight into) {
        Upload upload = uploads.get(id);
        if (upload == null || !upload.isRequest() || upload.length() > longest || upload.error() != null) {
            return false;
        }
        into.wrap(upload.buffer(), StringBlock.BYTES, upload.length());
        return true;
    }

    /** Whether another upload may be opened. */
    boolean hasRoomForUpload() {
        return !closed && uploads.size() < MAX_UPLOADS;
    }

    /** Remembers that an upload was one too many. */
    void exceed(long id) {
        leastExcess = Math.min(leastExcess, id);
        greatestExcess = Math.max(greatestExcess, id);
    }

    /**
     * Why there is no upload of an id. Ids are used once, so that one between two that were too many was too many
     * itself, or is used a second time.
     */
    byte[] whyUnknown(long id) {
        return id >= leastExcess && id <= greatestExcess ? Errors.TOO_MANY_UPLOADS : Errors.UNKNOWN_UPLOAD;
    }

    /** Where the store's values lie, and uploads that may become values. */
    Allocator allocator() {
        return allocator;
    }

    /** Whether an address lies in memory of its own, which can be kept while it is streamed. */
    boolean isExtent(long address) {
        return allocator.isExtent(address);
    }

    /**
     * Starts an upload of an argument, which may become a value.
     *
     * @param capacity bytes of it to have room for at first, see {@link Upload#capacity}
     * @throws AllocationFailedException if there is no memory for it
     */
    Upload begin(long id, int length, int capacity) {
        return begin(id, length, capacity, allocator, false);
    }

    /**
     * Starts an upload of a request.
     *
     * @param capacity bytes of it to have room for at first, see {@link Upload#capacity}
     * @param memory that it is collected in
     * @throws AllocationFailedException if there is no memory for it
     */
    Upload beginRequest(long id, int length, int capacity, Allocator memory) {
        return begin(id, length, capacity, memory, true);
    }

    private Upload begin(long id, int length, int capacity, Allocator memory, boolean request) {
        MemoryChunk extent = memory.takeExtent(StringBlock.BYTES + capacity);
        try {
            Upload upload = new Upload(length, extent, memory, request);
            uploads.put(id, upload);
            return upload;
        } catch (OutOfMemoryError e) {
            uploads.remove(id); // it may be there, with the map not grown
            memory.freeExtent(extent);
            throw e;
        }
    }

    /** Remembers that an upload was refused, or ends one whose pieces are wrong. */
    void refuse(long id, byte[] error) {
        Upload upload = uploads.get(id);
        if (upload == null) {
            uploads.put(id, new Upload(error));
        } else {
            upload.refuse(error);
        }
    }

    /**
     * Makes the memory of an upload a block; returns its address.
     *
     * @throws AllocationFailedException if it cannot; the upload is as it was
     */
    long adopt(Upload upload) {
        long address = allocator.attach(upload.extent());
        upload.release();
        return address;
    }

    /** Forgets an upload and frees what it still has. */
    void discard(long id) {
        Upload upload = uploads.remove(id);
        if (upload != null) {
            upload.free();
        }
    }

    /** Another request of the client begins. */
    void newRequest() {
        streamLimit = streams.size() + (MAX_STREAMS - streams.size() + 1) / 2;
    }

    /** Id of the next stream, for {@link #rollBack}. */
    long mark() {
        return ids.next();
    }

    /** Closes the streams that were opened since a mark: the reply that told of them is not sent. */
    void rollBack(long mark) {
        for (long id = mark; id < ids.next(); id++) {
            end(id);
        }
    }

    /**
     * Opens a stream of bytes in a block that is an extent.
     *
     * @return its id
     * @throws TooManyStreamsException if there are too many
     */
    long open(long address, int length) {
        checkRoom();
        MemoryChunk extent = allocator.pin(address);
        try {
            OpenStream stream = new OpenStream(extent.buffer, Memory.offset(address), length);
            long id = enter(stream);
            stream.extent = extent;
            return id;
        } catch (OutOfMemoryError e) {
            allocator.unpin(extent);
            throw e;
        }
    }

    /** Whether a reply can be held, if need be: a request whose reply may be long is not executed else. */
    boolean hasRoomForReply() {
        return streams.size() <= MAX_STREAMS;
    }

    /**
     * Keeps a reply, and makes it one that tells of the stream that holds it.
     *
     * @param mark before the request: streams that were opened since are told of by the reply alone
     * @throws TooManyStreamsException if there are too many
     */
    void hold(ReplyEncoder reply, long mark) {
        if (closed || !hasRoomForReply()) {
            throw new TooManyStreamsException();
        }
        int length = reply.length();
        OpenStream stream = new OpenStream(new UnsafeBuffer(0, 0), 0, length);
        long id = enter(stream);
        ByteBuffer memory;
        try {
            memory = reply.handOver();
        } catch (OutOfMemoryError e) {
            streams.remove(id);
            throw e;
        }
        stream.reply = memory;
        stream.firstStream = mark;
        stream.source.wrap(memory);
        heldBytes += memory.capacity();
        reply.held(id, length);
    }

    private void checkRoom() {
        if (closed || streams.size() >= streamLimit) {
            throw new TooManyStreamsException();
        }
    }

    private long enter(OpenStream stream) {
        long id = ids.take();
        try {
            streams.put(id, stream);
        } catch (OutOfMemoryError e) {
            streams.remove(id); // it may be there, with the map not grown
            throw e;
        }
        return id;
    }

    /** A stream, or null if there is none of that id. */
    @Nullable
    OpenStream stream(long id) {
        return streams.get(id);
    }

    /**
     * Ends a reply with the next bytes of a stream, which stay where they are until {@link #replySent}. The last ones
     * end the stream.
     */
    void read(long id, OpenStream stream, int length, ReplyEncoder reply) {
        int at = stream.start + stream.position;
        if (reply.length() + ReplyDescriptor.VALUE_HEADER_LENGTH + length <= maxReply) {
            reply.bulkByReference(stream.source, at, length);
        } else {
            reply.bulk(stream.source, at, length); // to be held
        }
        stream.position += length;
        if (stream.position == stream.length) {
            replySent(); // an earlier one has been
            streams.remove(id);
            ended = stream;
        }
    }

    /** The reply to the client's last request was sent, copied, or will not be sent. Idempotent. */
    public void replySent() {
        OpenStream stream = ended;
        if (stream != null) {
            ended = null;
            release(stream);
        }
    }

    /**
     * Closes a stream that is not read to its end, if there is one of that id. With a reply that is held go the streams
     * that it tells of: nobody else knows them.
     */
    void cancel(long id) {
        OpenStream stream = streams.remove(id);
        if (stream == null) {
            return;
        }
        if (stream.reply != null) {
            for (long other = stream.firstStream; other < id; other++) {
                end(other);
            }
        }
        release(stream);
    }

    /** Closes a stream, if there is one of that id. */
    private void end(long id) {
        OpenStream stream = streams.remove(id);
        if (stream != null) {
            release(stream);
        }
    }

    private void release(OpenStream stream) {
        MemoryChunk extent = stream.extent;
        if (extent != null) {
            allocator.unpin(extent);
        }
        ByteBuffer reply = stream.reply;
        if (reply != null) {
            heldBytes -= reply.capacity();
            BufferUtil.free(reply);
        }
    }

    /** Frees everything; nothing can be opened afterwards. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        replySent();
        for (Upload upload : uploads.values()) {
            upload.free();
        }
        uploads.clear();
        for (OpenStream stream : streams.values()) {
            release(stream);
        }
        streams.clear();
    }
}
