package io.verbena.bench.overflow;

import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.verification.RunException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client that asks for keys by Zipf's law, and checks every byte of every answer: it alone writes, so that it knows
 * what a key has. One operation of a key is under way at a time. With a file, a miss is answered from there, and the
 * value is SET again; a SET goes to the file first. For one thread.
 */
final class OverflowLoad implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60);

    private final Node node;
    private final KvClient client;
    private final @Nullable BackingFile file;
    private final ExecutorService disk;
    private final ConcurrentLinkedQueue<Runnable> fromDisk = new ConcurrentLinkedQueue<>();
    private final Keys keys;
    private final int depth;
    private final SplittableRandom random = new SplittableRandom(1);
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final ReplyHandler onReply = this::onReply;
    private final Counts counts = new Counts();
    private Histogram times = new Histogram(LONGEST, 3);

    /** What keys have and are doing. */
    private static final class Keys {
        final int[] versions;
        final long[] begun; // 0: nothing
        final int[] ops; // of what is under way
        final Zipf zipf;
        final int valueLength;

        Keys(int count, int valueLength, Zipf zipf) {
            this.versions = new int[count];
            this.begun = new long[count];
            this.ops = new int[count];
            this.valueLength = valueLength;
            this.zipf = zipf;
        }

        byte[] value(int key) {
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[valueLength]);
            int unit = key * 31 + versions[key];
            for (int i = 0; i + Integer.BYTES <= valueLength; i += Integer.BYTES) {
                bytes.putInt(i, unit ^ i);
            }
            return bytes.byteArray();
        }
    }

    /** Counts. */
    static final class Counts {
        long underWay; // that somebody waits for
        long refills; // under way
        long done;
        long misses;
        long wrong;
        long failed;
    }

    private static final int GET = 0;
    private static final int SET = 1;
    private static final int REFILL = 2; // a SET that nobody waits for

    /**
     * Connects, and sets all keys.
     *
     * @param node of the loads of this thread, in the mode INVOKER: each runs it, so that no server gives another up
     */
    OverflowLoad(Node node, String address, int keyCount, int valueLength, int depth, @Nullable BackingFile file) {
        this.node = node;
        this.depth = depth;
        this.file = file;
        this.keys = new Keys(keyCount, valueLength, new Zipf(keyCount, random));
        this.disk = Executors.newFixedThreadPool(depth, task -> {
            Thread thread = new Thread(task, "disk");
            thread.setDaemon(true);
            return thread;
        });
        this.client = KvClient.connect(node, List.of(address), TIMEOUT);
        for (int i = 0; i < keyCount; i++) {
            begin(i, SET);
            awaitBelow(depth);
        }
        awaitBelow(1);
        expectNothingWrong();
    }

    /** Operations for some time. @return operations a second */
    double run(int writes, double seconds) {
        long before = counts.done;
        long begin = System.nanoTime();
        keepBusy(writes, (long) (seconds * 1e9), begin);
        awaitBelow(1);
        expectNothingWrong();
        return (counts.done - before) * 1e9 / (System.nanoTime() - begin);
    }

    /** Operations for some time, in the middle of which something happens, while all that may be are under way. */
    void run(int writes, double seconds, Runnable event) {
        keepBusy(writes, (long) (seconds * 1e9) / 2, System.nanoTime());
        client.flush();
        event.run();
        run(writes, seconds / 2);
    }

    /** Returns with {@code depth} operations under way. */
    private void keepBusy(int writes, long nanos, long begin) {
        while (System.nanoTime() - begin < nanos) {
            awaitBelow(depth);
            while (counts.underWay < depth) {
                int key = keys.zipf.next();
                if (keys.begun[key] == 0) {
                    begin(key, random.nextInt(100) < writes ? SET : GET);
                }
            }
        }
    }

    /** Reads all keys. */
    void readAll() {
        for (int i = 0; i < keys.begun.length; i++) {
            begin(i, GET);
            awaitBelow(depth);
        }
        awaitBelow(1);
        expectNothingWrong();
    }

    /** Latencies since the last call, in nanoseconds. */
    Histogram times() {
        Histogram taken = times;
        times = new Histogram(LONGEST, 3);
        return taken;
    }

    Counts counts() {
        return counts;
    }

    private void expectNothingWrong() {
        if (counts.wrong + counts.failed > 0) {
            throw new RunException(counts.wrong + " answers were wrong, and " + counts.failed + " were errors");
        }
    }

    private void begin(int key, int op) {
        keys.begun[key] = System.nanoTime();
        keys.ops[key] = op;
        counts.underWay++;
        BackingFile on = file;
        if (op == SET) {
            keys.versions[key]++;
        }
        if (op == SET && on != null) {
            byte[] value = keys.value(key);
            onDisk(() -> {
                on.write(key, value);
                return () -> send(key, value);
            });
        } else {
            send(key, op == SET ? keys.value(key) : null);
        }
    }

    /** Does something on the disk, and what follows from it here. */
    private void onDisk(Supplier<Runnable> task) {
        disk.execute(() -> {
            Runnable then;
            try {
                then = task.get();
            } catch (RuntimeException e) {
                then = () -> {
                    throw e;
                };
            }
            fromDisk.add(then);
        });
    }

    private void send(int key, byte @Nullable [] value) {
        byte[] name = "key:%012d".formatted(key).getBytes(StandardCharsets.US_ASCII);
        int length = RequestDescriptor.HEADER_LENGTH
                + RequestDescriptor.argumentLength(name.length)
                + (value == null ? 0 : RequestDescriptor.argumentLength(value.length));
        long deadline = System.nanoTime() + LONGEST;
        while (client.claim(0, length) != SendResult.SENT) {
            poll(deadline);
        }
        request.begin(client.claimBuffer(), client.claimOffset(), value == null ? KvOp.GET : KvOp.SET, 0, key, 0)
                .argument(name);
        if (value != null) {
            request.argument(value);
        }
        client.commit();
    }

    private void awaitBelow(long limit) {
        client.flush();
        long deadline = System.nanoTime() + LONGEST;
        while (counts.underWay >= limit || (limit == 1 && counts.refills > 0)) {
            poll(deadline);
        }
    }

    private void poll(long deadline) {
        int done = client.poll(onReply, depth);
        for (Runnable next = fromDisk.poll(); next != null; next = fromDisk.poll()) {
            next.run();
            done++;
        }
        if (done > 0) {
            client.flush();
        } else if (node.doWork() == 0) {
            node.await(NAP);
        }
        if (!client.isConnected(0)) {
            throw new RunException("the server is gone: " + counts.underWay + " operations were under way");
        }
        if (System.nanoTime() - deadline > 0) {
            throw new RunException("the server has not answered: " + counts.underWay + " operations are under way");
        }
    }

    private void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        int key = (int) cursor.correlation();
        cursor.next();
        int op = keys.ops[key];
        if (cursor.type() == ReplyType.ERROR) {
            counts.failed++;
        } else if (op == GET && cursor.type() == ReplyType.NIL) {
            miss(key);
            return;
        } else if (op == GET && !equals(cursor.buffer(), cursor.textOffset(), cursor.textLength(), keys.value(key))) {
            counts.wrong++;
        }
        end(key);
    }

    private static boolean equals(DirectBuffer buffer, int offset, int length, byte[] expected) {
        return length == expected.length && new UnsafeBuffer(buffer, offset, length).equals(new UnsafeBuffer(expected));
    }

    private void miss(int key) {
        BackingFile on = file;
        counts.misses++;
        if (on == null) {
            counts.wrong++;
            end(key);
            return;
        }
        onDisk(() -> {
            byte[] value = on.read(key, keys.valueLength);
            return () -> fill(key, value);
        });
    }

    private void fill(int key, byte[] value) {
        if (!Arrays.equals(value, keys.value(key))) {
            counts.wrong++;
        }
        record(key);
        counts.underWay--;
        counts.refills++;
        keys.ops[key] = REFILL;
        send(key, value);
    }

    private void end(int key) {
        if (keys.ops[key] == REFILL) {
            counts.refills--;
        } else {
            record(key);
            counts.underWay--;
        }
        keys.begun[key] = 0;
    }

    private void record(int key) {
        times.recordValue(Math.min(LONGEST, System.nanoTime() - keys.begun[key]));
        counts.done++;
    }

    @Override
    public void close() {
        client.close();
        disk.shutdownNow();
    }
}
