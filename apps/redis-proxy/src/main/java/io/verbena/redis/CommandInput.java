package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.verbena.SendResult;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.redis.resp.RespParser;
import org.jspecify.annotations.Nullable;

/**
 * What a client has sent and what is to be executed next: finds commands in the bytes, and sends a large value on to
 * its shard as it comes, so that it never lies here as a whole. For one worker's thread.
 */
final class CommandInput {
    /** What there is to do next. */
    enum Found {
        /** Nothing, until more bytes have come. */
        NOTHING,
        /** A command, see {@link #arguments}. */
        COMMAND,
        /** A value waits for room on its way to the shard. */
        NO_ROOM,
        /** A command that is too large to be executed was read and thrown away. */
        OVERSIZED,
        /** What was sent is no RESP; the connection has to be closed. */
        PROTOCOL_ERROR
    }

    /** Values from this length on go to their shard while they are received: just shorter ones fit in a message. */
    static final int STREAMED_LENGTH = TransferDescriptor.MAX_MESSAGE - (8 << 10);

    /** The shard takes memory for the whole value at once: so many times what has come of it, at most. */
    private static final int MAX_LEVERAGE = 16;

    /** Values of a worker that are on their way at a time; a client that stops in the middle of one keeps its place. */
    private static final int MAX_STREAMED = 512;

    /** What is sent on at a time at least, unless less is left. */
    private static final int MIN_PIECE = 16 << 10;

    private final Worker worker;
    private final RespParser parser;
    private final Arguments arguments;
    private final ReceiveBuffer receive;
    private @Nullable StreamedCommand streamed;
    private boolean found;

    CommandInput(Worker worker, ByteBufAllocator allocator) {
        this.worker = worker;
        this.parser = new RespParser(worker.limits());
        this.arguments = new Arguments(parser);
        this.receive = new ReceiveBuffer(worker.readBuffer(), allocator);
    }

    ReceiveBuffer receiveBuffer() {
        return receive;
    }

    /** The client has given the password, or has not. */
    void authenticated(boolean value) {
        parser.authenticated(value);
    }

    /** Takes note of what the socket has read; returns the number of new bytes. */
    int received(ByteBuf buffer) {
        return receive.received(buffer);
    }

    /** Finds what is next. A command is found again and again until {@link #executed}. */
    Found find(ClientConnection connection) {
        while (!found) {
            StreamedCommand value = streamed;
            if (value != null && value.left() > 0) {
                Found sent = forward(value);
                if (sent != Found.COMMAND) {
                    return sent;
                }
            }
            if (receive.isEmpty()) {
                return Found.NOTHING;
            }
            switch (parser.parse(receive.view(), receive.start(), receive.end())) {
                case RespParser.COMMAND:
                    found = true;
                    if (value != null) {
                        value.complete(receive.view(), receive.start(), parser);
                    }
                    break;
                case RespParser.OVERSIZED:
                    receive.consume(parser.consumed());
                    endStreamed();
                    return Found.OVERSIZED;
                case RespParser.ERROR:
                    return Found.PROTOCOL_ERROR;
                case RespParser.NEED_MORE:
                    receive.consume(parser.consumed());
                    if (value != null || !beginStreamed(connection)) {
                        return Found.NOTHING;
                    }
                    break;
                default:
                    receive.consume(parser.consumed());
                    break;
            }
        }
        return Found.COMMAND;
    }

    private boolean beginStreamed(ClientConnection connection) {
        int length = parser.pendingLength();
        Dispatcher dispatcher = worker.dispatcher();
        if (length < STREAMED_LENGTH
                || receive.length() < length / MAX_LEVERAGE
                || connection.transaction().isOpen()
                || dispatcher.sender().openUploads() >= MAX_STREAMED) {
            return false; // collected here, as others are
        }
        int shard = dispatcher.streamsTo(
                connection, arguments.wrap(receive.view(), receive.start(), parser), parser.argumentCount());
        if (shard < 0) {
            return false;
        }
        streamed = new StreamedCommand(shard, dispatcher.sender().openUpload(), length, arguments);
        receive.consume(parser.divert());
        return true;
    }

    /** Sends on what there is of a value; COMMAND once all of it is sent. */
    private Found forward(StreamedCommand value) {
        while (value.left() > 0) {
            int length = Math.min(Math.min(receive.length(), value.left()), TransferDescriptor.PIECE_LENGTH);
            if (length == 0 || (length < MIN_PIECE && length < value.left())) {
                return Found.NOTHING;
            }
            SendResult sent = worker.dispatcher()
                    .sender()
                    .upload(
                            value.shard(),
                            value.uploadId(),
                            value.total(),
                            value.sent(),
                            receive.view(),
                            receive.start(),
                            length);
            if (sent == SendResult.BACK_PRESSURED) {
                return Found.NO_ROOM;
            }
            // A shard that is gone gets nothing; the command that uses the value is told.
            value.sent(length);
            receive.consume(length);
        }
        return Found.COMMAND;
    }

    /** The command that was found. */
    Arguments arguments() {
        StreamedCommand value = streamed;
        return value == null ? arguments.wrap(receive.view(), receive.start(), parser) : arguments.wrap(value);
    }

    /** The command that was found is executed, or answered. */
    void executed() {
        found = false;
        receive.consume(parser.consumed());
        parser.trim();
        endStreamed();
    }

    private void endStreamed() {
        StreamedCommand value = streamed;
        if (value != null) {
            streamed = null;
            worker.dispatcher().sender().uploadEnded();
            if (!value.isUsed()) {
                worker.dispatcher().sender().discardUpload(value.shard(), value.uploadId());
            }
        }
    }

    /**
     * Bytes that a command takes that has to be here as a whole and is too long for a message: where it is received,
     * and once more as a request. 0 while there is none.
     */
    long collecting() {
        int length = streamed != null ? 0 : found ? parser.consumed() : parser.needed();
        return length > TransferDescriptor.MAX_MESSAGE ? 2L * Math.max(length, receive.capacity()) : 0;
    }

    /**
     * Keeps what was not used beyond the end of this read.
     *
     * @param more whether memory may be taken for what is still to come
     */
    void keepRest(boolean more) {
        StreamedCommand value = streamed;
        int needed;
        if (found || !more) {
            needed = 0;
        } else if (value != null && value.left() > 0) {
            needed = Math.min(value.left(), TransferDescriptor.PIECE_LENGTH);
        } else {
            needed = parser.needed();
        }
        receive.keepRest(needed);
    }

    /** Bytes of memory that it holds. */
    int memory() {
        return receive.capacity();
    }

    /** Text for an error: how large the command was. */
    long announced() {
        return parser.announced();
    }

    /** Why the bytes are no RESP. */
    String error() {
        return parser.error();
    }

    /** Throws away what is left, and what is not executed. */
    void close() {
        found = false;
        receive.release();
        endStreamed();
    }
}
