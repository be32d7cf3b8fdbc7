package io.verbena.bench.promise;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Message;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.Request;
import io.verbena.Responder;
import io.verbena.SendResult;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.SocketDirectory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The far end in this process. */
final class Receiver implements FarEnd {
    private static final int BATCH = 64;
    private static final int LINE = 16; // longs
    private static final int ANSWER_LENGTH = 8;
    private static final long AWAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(9);
    private static final Duration ASLEEP = Duration.ofMillis(1);
    private static final long JOIN_MILLIS = 10_000;

    private final AtomicLongArray counts = new AtomicLongArray(3 * LINE);
    private final SocketDirectory sockets = new SocketDirectory();
    private @Nullable Node node;
    private @Nullable Thread thread;
    private int headerBytes;
    private LongSupplier refusals = () -> 0;
    private CellContent content = new CellContent(Cell.Sizes.EQUAL);
    private volatile boolean stopped;
    private volatile @Nullable RunException failure;

    private record Unanswered(Channel channel, long correlationId) {}

    @Override
    public String open(Cell cell) {
        end();
        stopped = false;
        refusals = () -> 0;
        failure = null;
        headerBytes = cell.headerBytes();
        content = new CellContent(cell.sizes());
        for (int i = 0; i < counts.length(); i++) {
            counts.set(i, 0);
        }
        String name = "promise-far-" + ProcessHandle.current().pid();
        NodeContext context = new NodeContext().name(name).mode(cell.mode());
        switch (cell.fabric()) {
            case SHM:
                context.listen("shm:" + name);
                break;
            case UDS:
                context.listen("uds:" + sockets.socket());
                break;
            case TCP:
                context.listen("tcp://127.0.0.1:0");
                break;
            default:
                break;
        }
        Node launched = Node.launch(context);
        node = launched;
        serve(launched, cell.receiver());
        return launched.addresses().isEmpty()
                ? "local:" + name
                : launched.addresses().get(0);
    }

    private void serve(Node opened, ReceiverKind kind) {
        String name = kind.inbox(0);
        switch (kind) {
            case SHARED:
                callBack(opened.openInbox(name));
                break;
            case OWN:
                callBack(opened.openInbox(name));
                callBack(opened.openInbox(kind.inbox(1)));
                break;
            case SLEEPY:
                Inbox inbox = opened.openInbox(name);
                refusals(() -> inbox.statistics().rnr());
                start(() -> poll(inbox));
                break;
            default:
                Responder responder = opened.openResponder(name);
                refusals(() -> responder.statistics().rnr());
                start(() -> answer(responder));
                break;
        }
    }

    private void callBack(Inbox inbox) {
        inbox.onMessage(this::count);
        refusals(() -> inbox.statistics().rnr());
    }

    private void refusals(LongSupplier more) {
        LongSupplier others = refusals;
        refusals = () -> others.getAsLong() + more.getAsLong();
    }

    private void start(Runnable task) {
        Thread made = new FastThreadLocalThread(task, "promise-consumer");
        made.setDaemon(true);
        made.start();
        thread = made;
    }

    private void count(Message message) {
        count(message.buffer(), message.offset(), message.length());
    }

    /** One thread counts. */
    private void count(DirectBuffer buffer, int offset, int length) {
        try {
            int cell = (content.read(buffer, offset, length) + 1) * LINE;
            counts.lazySet(cell, counts.getPlain(cell) + length + headerBytes);
        } catch (RunException e) {
            failure = e;
        }
    }

    private void poll(Inbox inbox) {
        long sleep = System.nanoTime() + AWAKE_NANOS;
        while (!stopped) {
            if (inbox.poll(this::count, BATCH) == 0) {
                inbox.await(ASLEEP);
            }
            if (System.nanoTime() - sleep > 0) {
                LockSupport.parkNanos(ASLEEP.toNanos());
                sleep = System.nanoTime() + AWAKE_NANOS;
            }
        }
    }

    private void answer(Responder responder) {
        UnsafeBuffer answer = new UnsafeBuffer(new byte[ANSWER_LENGTH]);
        Deque<Unanswered> waiting = new ArrayDeque<>();
        IdleStrategy idle = new BackoffIdleStrategy();
        while (!stopped) {
            int work = responder.poll(request -> answer(request, answer, waiting), BATCH);
            for (int i = waiting.size(); i > 0; i--) {
                Unanswered first = waiting.remove();
                if (Responder.reply(first.channel(), first.correlationId(), answer, 0, ANSWER_LENGTH)
                        == SendResult.BACK_PRESSURED) {
                    waiting.add(first);
                }
            }
            idle.idle(work);
        }
    }

    private void answer(Request request, UnsafeBuffer answer, Deque<Unanswered> waiting) {
        count(request.buffer(), request.offset(), request.length());
        if (request.enqueue(answer, 0, ANSWER_LENGTH) == SendResult.BACK_PRESSURED) {
            waiting.add(new Unanswered(request.channel(), request.correlationId()));
        }
    }

    @Override
    public long[] counts() {
        RunException wrong = failure;
        if (wrong != null) {
            throw wrong;
        }
        return new long[] {counts.get(LINE), counts.get(2 * LINE), refusals.getAsLong()};
    }

    private void end() {
        stopped = true;
        Thread running = thread;
        if (running != null) {
            Waits.join(running, JOIN_MILLIS);
            thread = null;
        }
        Node open = node;
        if (open != null) {
            node = null;
            open.close();
        }
    }

    @Override
    public void close() {
        end();
        sockets.close();
    }
}
