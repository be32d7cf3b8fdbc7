package io.verbena.bench.trial;

import io.verbena.bench.path.End;
import io.verbena.bench.path.Producer;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.verification.RunException;

/** Messages one way, as many as go; the time ends when the far end has taken the last. */
final class StreamMeasurement implements Measurement {
    private static final int LARGE = 16 << 10;

    private final End near;
    private final Rendezvous rendezvous;
    private final Runnable check;
    private final Setting setting;
    private final int clockMask;
    private final long[] sent;

    StreamMeasurement(End near, Rendezvous rendezvous, Runnable check, Setting setting) {
        this.near = near;
        this.rendezvous = rendezvous;
        this.check = check;
        this.setting = setting;
        this.clockMask = setting.bytes() < LARGE ? 255 : 7;
        this.sent = new long[setting.producers()];
    }

    @Override
    public Figures run(long nanos) {
        long before = total();
        long took = phase(nanos);
        return Figures.ofStream(total() - before, took, setting.bytes());
    }

    private long total() {
        long sum = 0;
        for (long each : sent) {
            sum += each;
        }
        return sum;
    }

    private long phase(long nanos) {
        long start = System.nanoTime();
        near.produce((producer, index) -> send(producer, index, start, nanos));
        long total = total();
        rendezvous.tell(FarSide.SENT + total);
        WaitLimit deadline = WaitLimit.ofSeconds(10, "word that all of " + total + " messages have come");
        String line = rendezvous.heard();
        while (line == null) {
            near.poll(64);
            check.run();
            deadline.check();
            line = rendezvous.heard();
        }
        if (!line.equals(FarSide.CAME + total)) {
            throw new RunException("the far end says '" + line + "' where '" + FarSide.CAME + total + "' was expected");
        }
        return System.nanoTime() - start;
    }

    private void send(Producer producer, int index, long start, long nanos) {
        int batch = setting.batch();
        long number = sent[index];
        int pending = 0;
        while ((number & clockMask) != 0 || System.nanoTime() - start < nanos) {
            producer.offerNow(number++);
            if (++pending == batch) {
                pending = 0;
                producer.flush();
            }
        }
        producer.flush();
        sent[index] = number;
    }
}
