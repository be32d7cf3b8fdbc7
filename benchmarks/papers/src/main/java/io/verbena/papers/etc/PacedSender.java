package io.verbena.papers.etc;

import io.verbena.nic.sim.SimRandom;
import io.verbena.papers.receive.SchemeAddress;
import io.verbena.papers.receive.SendScheme;
import io.verbena.papers.workload.EtcWorkload;
import org.agrona.concurrent.UnsafeBuffer;

/** A sender with its schedule. For one thread. */
final class PacedSender implements AutoCloseable {
    private static final int SHIFTS = 1 << 16;
    private static final int BURST = 32;
    private static final int HURRIED_BYTES =
            192 << 10; // about the longest that has its place in the queue while it is written

    private final EtcMessageFlyweight message = new EtcMessageFlyweight();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[EtcSetting.MAX]);
    private final byte[] noise = new byte[EtcSetting.MAX + SHIFTS];
    private final SendScheme sender;
    private final EtcWorkload traffic;
    private final int number;
    private final Acknowledged acknowledged;
    private long end;
    private long due;
    private long sequence;
    private long acknowledgedCount;
    private boolean hurried;
    private int length; // of the message that is ready, 0 if there is none

    PacedSender(EtcSetting setting, SendScheme sender, int number, Acknowledged acknowledged) {
        this.sender = sender;
        this.number = number;
        this.acknowledged = acknowledged;
        traffic = setting.traffic(number);
        SimRandom random = SimRandom.forPart(setting.seed(), number);
        for (int i = 0; i < noise.length; i++) {
            noise[i] = (byte) random.nextInt(256);
        }
    }

    SchemeAddress connect(SchemeAddress invitation) {
        return sender.connect(invitation);
    }

    void start(long begin, long end) {
        this.end = end;
        due = begin + traffic.gapNanos();
    }

    /** When the next message is due. */
    long due() {
        return due;
    }

    /** Sends some of what is due. @return whether it is worth to come again at once */
    boolean turn(long now) {
        poll();
        for (int i = 0; i < BURST; i++) {
            if (hurried && length == 0) {
                due = now;
            }
            if (due - now > 0 || due - end >= 0) {
                return false;
            }
            if (length == 0) {
                prepare();
            }
            if (!sender.offer(buffer, 0, length, (int) sequence)) {
                Thread.yield(); // the receiver has no room: it needs the processor
                return true;
            }
            length = 0;
            sequence++;
            due += traffic.gapNanos();
        }
        return true;
    }

    /** From now on sends long messages without a pause. */
    void hurry() {
        hurried = true;
    }

    private void poll() {
        int completed = sender.poll();
        if (completed > 0) {
            acknowledgedCount += completed;
            acknowledged.put(number, acknowledgedCount);
        }
    }

    private void prepare() {
        int payload = hurried ? HURRIED_BYTES : traffic.messageBytes();
        length = EtcMessageFlyweight.HEADER_LENGTH + payload;
        int shift = (int) (sequence * 61 % SHIFTS);
        buffer.putBytes(EtcMessageFlyweight.HEADER_LENGTH, noise, shift, payload);
        message.encode(buffer, length, number, sequence, due);
    }

    /** Lets what is under way go on. @return whether all has come */
    boolean isDrained() {
        poll();
        return sender.outstanding() == 0;
    }

    long sent() {
        return sequence;
    }

    /** Messages that were due before the end and were not sent; to be asked once. */
    long unsent() {
        long count = 0;
        while (due - end < 0) {
            count++;
            due += traffic.gapNanos();
        }
        return count;
    }

    /** Times that the receiver had no room for a message of this NIC. */
    long notReady() {
        return sender.notReady();
    }

    @Override
    public void close() {
        sender.close();
    }
}
