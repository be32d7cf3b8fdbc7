package io.verbena.bench.path;

import io.verbena.Channel;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Outcome;
import io.verbena.Request;
import io.verbena.RequestHandler;
import io.verbena.Requester;
import io.verbena.RequesterOptions;
import io.verbena.Responder;
import io.verbena.Response;
import io.verbena.ResponseHandler;
import io.verbena.SendResult;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.SocketDirectory;
import java.time.Duration;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The framework's calls: a requester at the near end, a responder at the far end that answers at once with what it was
 * sent. Both nodes are driven by their end's thread (INVOKER).
 */
final class RpcEnd extends End {
    private static final Duration SECONDS = Duration.ofSeconds(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int ROOM = 128;
    private static final int MIN_STAGING = 256 << 10;
    private static final int MAX_STAGING = 64 << 20;
    private static final int POLL = 64;

    private final Node node;
    private final @Nullable SocketDirectory directory;
    private final @Nullable Requester requester;
    private final @Nullable Responder responder;
    private final @Nullable Channel channel;
    private final UnsafeBuffer message;
    private final ResponseHandler onResponse = this::onResponse;
    private final RequestHandler onRequest = this::onRequest;
    private long served;

    RpcEnd(Rendezvous rendezvous, boolean near, FabricKind fabric, PathSettings settings) {
        super(settings);
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
        directory = fabric == FabricKind.UDS && !near ? new SocketDirectory() : null;
        int staging = BitUtil.findNextPositivePowerOfTwo(
                (int) Math.min(MAX_STAGING, Math.max(MIN_STAGING, 4L * settings.depth() * (length + ROOM))));
        NodeContext context = new NodeContext()
                .mode(NodeMode.INVOKER)
                .sendDepth(BitUtil.findNextPositivePowerOfTwo(Math.max(ROOM, 2 * settings.depth())))
                .stagingLength(staging);
        InboxOptions longest = new InboxOptions().maxMessage(length + ROOM);
        if (near) {
            node = Node.launch(context.sharedMemory(fabric == FabricKind.SHM));
            requester = node.openRequester(
                    new RequesterOptions().maxOutstanding(BitUtil.findNextPositivePowerOfTwo(settings.depth())));
            responder = null;
            channel = requester.connect(rendezvous.hear(node::doWork) + "/echo", SECONDS);
        } else {
            node = Node.launch(listen(context, fabric));
            requester = null;
            responder = node.openResponder("echo", longest);
            channel = null;
            rendezvous.tell(
                    fabric == FabricKind.LOCAL
                            ? "local:" + node.name()
                            : node.addresses().get(0));
        }
        rendezvous.meet(node::doWork);
    }

    private NodeContext listen(NodeContext context, FabricKind fabric) {
        switch (fabric) {
            case LOCAL:
                return context;
            case SHM:
                return context.listen("shm:bench-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
            case UDS:
                SocketDirectory made = directory;
                if (made == null) {
                    throw new IllegalStateException("no directory of a socket");
                }
                return context.listen("uds:" + made.socket());
            default:
                return context.listen("tcp://127.0.0.1:0");
        }
    }

    @Override
    public boolean isAnswered() {
        return false;
    }

    @Override
    public boolean offer(long number) {
        Requester caller = requester;
        Channel to = channel;
        if (caller == null || to == null) {
            throw new RunException("the far end does not call");
        }
        Stamp.put(message, 0, length, number);
        SendResult result = settings.batch() == 1
                ? caller.call(to, message, 0, length, TIMEOUT, number, onResponse)
                : caller.enqueue(to, message, 0, length, TIMEOUT, number, onResponse);
        if (result == SendResult.CLOSED) {
            throw new RunException("the channel is closed: " + to.closeReason());
        }
        return result == SendResult.SENT;
    }

    @Override
    public void flush() {
        if (channel != null && settings.batch() > 1) {
            channel.flush();
        }
    }

    @Override
    public boolean await(Duration longest) {
        node.await(longest);
        return true;
    }

    @Override
    int receive(int limit) {
        long before = near() ? taken() : served;
        if (take(limit) == 0) {
            node.doWork();
            take(limit);
        }
        return (int) ((near() ? taken() : served) - before);
    }

    private boolean near() {
        return requester != null;
    }

    private int take(int limit) {
        if (requester != null) {
            return requester.poll(limit);
        }
        return responder == null ? 0 : responder.poll(onRequest, Math.max(limit, POLL));
    }

    private void onResponse(Response response) {
        if (response.outcome() != Outcome.DONE) {
            throw new RunException("call " + response.correlationId() + " ended: " + response.failure());
        }
        Stamp.checkLength(response.length(), length);
        long number = Stamp.get(response.buffer(), response.offset(), length);
        if (number != response.correlationId()) {
            throw new RunException("call " + response.correlationId() + " brought the answer to " + number);
        }
        accept(number);
    }

    private void onRequest(Request request) {
        served++;
        SendResult result = request.enqueue(request.buffer(), request.offset(), request.length());
        WaitLimit deadline = null;
        while (result == SendResult.BACK_PRESSURED) {
            node.doWork();
            deadline = deadline == null ? WaitLimit.ofSeconds(10, "room for an answer") : deadline;
            deadline.check();
            result = request.enqueue(request.buffer(), request.offset(), request.length());
        }
        if (result == SendResult.CLOSED) {
            throw new RunException("the channel is closed: " + request.channel().closeReason());
        }
    }

    @Override
    public void close() {
        node.close();
        if (directory != null) {
            directory.close();
        }
    }
}
