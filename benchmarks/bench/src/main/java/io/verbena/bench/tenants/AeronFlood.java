package io.verbena.bench.tenants;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.verbena.bench.Latency;
import io.verbena.bench.path.AeronDriver;
import io.verbena.bench.path.WaitLimit;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The echo beside a flood over Aeron IPC, by the same two threads: one pings, one floods, takes the flood and answers.
 * Streams of the ping, of its answer, and one of all flooders, an exclusive publication each; one embedded driver with
 * one thread that backs off.
 */
final class AeronFlood implements AutoCloseable {
    private static final int PING = 1;
    private static final int ANSWER = 2;
    private static final int FLOOD = 3;
    private static final int LIMIT = 64;
    private static final long MAX_PING = TimeUnit.SECONDS.toNanos(20);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int DIGITS = 3;

    private final Setting setting;
    private final Client client;
    private final ExclusivePublication ping;
    private final ExclusivePublication answer;
    private final Subscription pings;
    private final Subscription answers;
    private final Subscription floods;
    private final List<ExclusivePublication> flooders = new ArrayList<>();
    private final FragmentAssembler onFlood;
    private final FragmentHandler onPing;
    private final FragmentHandler onAnswer;
    private final UnsafeBuffer pinged = new UnsafeBuffer(new byte[Pinger.BYTES]);
    private final UnsafeBuffer answered = new UnsafeBuffer(new byte[Pinger.BYTES]);
    private final UnsafeBuffer message;
    private final Histogram latencies = new Histogram(MAX_PING, DIGITS);
    private volatile boolean counting;
    private volatile long taken;
    private long messages;
    private long sent;
    private long arrived;

    /**
     * A measurement.
     *
     * @param flooders publications that flood
     * @param bytes of their messages
     */
    record Setting(int flooders, int bytes, double warmup, double seconds) {}

    /** A driver of its own, and the client of it. */
    private record Client(AeronDriver driver, Aeron aeron) implements AutoCloseable {
        static Client connect(int bytes) {
            AeronDriver driver = AeronDriver.shared(bytes);
            return new Client(driver, Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.directory())));
        }

        @Override
        public void close() {
            aeron.close();
            driver.close();
        }
    }

    private AeronFlood(Setting setting) {
        this.setting = setting;
        client = Client.connect(setting.bytes());
        Aeron aeron = client.aeron();
        pings = aeron.addSubscription(CommonContext.IPC_CHANNEL, PING);
        answers = aeron.addSubscription(CommonContext.IPC_CHANNEL, ANSWER);
        floods = aeron.addSubscription(CommonContext.IPC_CHANNEL, FLOOD);
        ping = aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, PING);
        answer = aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, ANSWER);
        for (int i = 0; i < setting.flooders(); i++) {
            flooders.add(aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, FLOOD));
        }
        message = new UnsafeBuffer(new byte[setting.bytes()]);
        onFlood = new FragmentAssembler((buffer, offset, length, header) -> messages++);
        onPing = (buffer, offset, length, header) -> {
            answered.putLong(0, buffer.getLong(offset));
            offer(answer, answered);
        };
        onAnswer = (buffer, offset, length, header) -> arrived = buffer.getLong(offset);
        WaitLimit deadline = WaitLimit.ofSeconds(10, "connection over Aeron");
        while (!ping.isConnected()
                || !answer.isConnected()
                || pings.hasNoImages()
                || answers.hasNoImages()
                || floods.imageCount() < setting.flooders()) {
            deadline.run();
        }
    }

    /** Measures in this process. */
    static TenantsResult run(Setting setting) {
        try (AeronFlood flood = new AeronFlood(setting)) {
            return flood.measure();
        }
    }

    private TenantsResult measure() {
        TurnThread other = new TurnThread("flood", () -> new TurnThread.Job(this::flood, () -> {}));
        TurnThread near = new TurnThread("ping", () -> new TurnThread.Job(this::roundTrip, () -> {}));
        long before;
        long begin;
        double seconds;
        long count;
        try {
            pause(setting.warmup(), near, other);
            before = taken;
            begin = System.nanoTime();
            counting = true;
            pause(setting.seconds(), near, other);
            counting = false;
            seconds = (System.nanoTime() - begin) / 1e9;
            count = taken - before;
        } finally {
            near.close(); // first: it waits for an answer
            other.close();
        }
        near.check();
        other.check();
        double rate = count / seconds;
        return new TenantsResult(
                seconds,
                1,
                List.of(new TenantsResult.Figures(
                        "flood", setting.bytes(), 1, 1, 1, rate, rate * setting.bytes(), 1, List.of(0L, 0L))),
                Latency.of(latencies));
    }

    private static void pause(double seconds, TurnThread near, TurnThread other) {
        long nanos = (long) (seconds * 1e9);
        long begin = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begin)) {
            LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(10)));
            near.check();
            other.check();
        }
    }

    private int flood() {
        int work = pings.poll(onPing, LIMIT);
        for (int i = 0; i < flooders.size(); i++) {
            work += flooders.get(i).offer(message) > 0 ? 1 : 0;
            work += floods.poll(onFlood, LIMIT);
            work += pings.poll(onPing, LIMIT);
        }
        taken = messages;
        return work;
    }

    private int roundTrip() {
        boolean counted = counting;
        long begin = System.nanoTime();
        pinged.putLong(0, ++sent);
        offer(ping, pinged);
        long now = begin;
        while (arrived != sent) {
            answers.poll(onAnswer, LIMIT);
            now = System.nanoTime();
            if (now - begin > LIMIT_NANOS) {
                throw new RunException("no answer to a ping within 10 s");
            }
        }
        if (counted) {
            latencies.recordValue(Math.min(now - begin, MAX_PING));
        }
        return 1;
    }

    private static void offer(ExclusivePublication to, UnsafeBuffer message) {
        long begin = System.nanoTime();
        for (long result = to.offer(message); result < 0; result = to.offer(message)) {
            if (result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
                throw new RunException("Aeron refuses a message: " + Publication.errorString(result));
            }
            if (System.nanoTime() - begin > LIMIT_NANOS) {
                throw new RunException("Aeron takes no message for 10 s");
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
