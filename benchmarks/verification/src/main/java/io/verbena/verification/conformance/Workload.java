package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Every verb of a reliable connection, one after the other, each with an effect of its own at the second player that
 * can be told from doing it not at all and from doing it twice.
 */
final class Workload {
    private static final int KINDS = 8;
    private static final int LENGTH = 2_500; // three packets
    private static final int SLOT = 2_560;
    private static final int COUNTER = 0;
    private static final int SWAPPED = 8;
    private static final int WRITTEN = 1_024;
    private static final int RECEIVED = 128 * 1024;
    private static final int SOURCE = 128 * 1024;
    private static final int MAX = 40;

    private final Players p;
    private final AppendQueue queue;
    private final int operations;

    /** Prepares so many operations, at most {@value #MAX}. */
    Workload(Players p, int operations) {
        if (operations > MAX) {
            throw new IllegalArgumentException(operations + " operations > maximum " + MAX);
        }
        this.p = p;
        this.operations = operations;
        queue = p.b.newAppendQueue();
        for (int i = 0; i < operations; i++) {
            if (consumesReceive(i)) {
                p.b.qp.postReceive(i, p.b.key(), received(i), LENGTH);
            }
            p.a.fill(SOURCE + i * SLOT, LENGTH, i + 1);
        }
        p.b.fill(64 * 1024, LENGTH, 99); // what is read
    }

    private static boolean consumesReceive(int i) {
        return i % KINDS == 0 || i % KINDS == 4;
    }

    private static int received(int i) {
        return RECEIVED + i * SLOT;
    }

    /** Posts them all; their ids are 0 and up. */
    void post() {
        QueuePair qp = p.a.qp;
        for (int i = 0; i < operations; i++) {
            qp.post(request(i).wrId(i));
        }
        qp.doorbell();
    }

    private SendRequest request(int i) {
        SendRequest r = p.a.request;
        int key = p.a.key();
        int remote = p.b.key();
        int source = SOURCE + i * SLOT;
        switch (i % KINDS) {
            case 0:
                return r.sendImmediate(i).local(key, source, LENGTH);
            case 1:
                return r.fetchAdd(remote, COUNTER, 1).local(key, 16L * i, 8);
            case 2:
                return r.write(remote, WRITTEN + (i / KINDS) * (long) SLOT).local(key, source, LENGTH);
            case 3:
                return r.read(remote, 64 * 1024).local(key, 4096 + (i / KINDS) * (long) SLOT, LENGTH);
            case 4:
                return r.writeImmediate(remote, received(i), i).local(key, source, LENGTH);
            case 5:
                return r.append(queue.id(), queue.key()).local(key, source, LENGTH);
            case 6:
                return r.compareSwap(remote, SWAPPED, i / KINDS, i / KINDS + 1).local(key, 16L * i, 8);
            default:
                return r.appendImmediate(queue.id(), queue.key(), i).local(key, source, 100);
        }
    }

    /** All completed in success, in order, and each was done once. */
    void expectAll() {
        expect(operations);
        assertThat(p.a.sends).hasSize(operations).allMatch(Wc::isSuccess);
    }

    /** The first so many are said to be done. They were, once; those behind them at most once, and in order. */
    void expect(int done) {
        for (int i = 0; i < p.a.sends.size(); i++) {
            assertThat(p.a.sends.get(i).wrId()).as("order of completions").isEqualTo(i);
        }
        long added = p.b.word(COUNTER);
        assertThat(added).as("additions").isBetween(count(done, 1), count(operations, 1));
        long swapped = p.b.word(SWAPPED);
        assertThat(swapped).as("swaps").isBetween(count(done, 6), count(operations, 6));
        List<Integer> received = new ArrayList<>();
        List<TestNic.Message> appended = new ArrayList<>(p.b.messages);
        for (int i = 0; i < operations; i++) {
            if (consumesReceive(i)) {
                received.add(i);
            }
            boolean mustBe = i < done;
            int at = i;
            switch (i % KINDS) {
                case 1:
                    assertThat(!mustBe || p.a.word(16 * i) == i / KINDS)
                            .as("original %d", i)
                            .isTrue();
                    break;
                case 2:
                    assertThat(!mustBe || p.b.holds(WRITTEN + (i / KINDS) * SLOT, LENGTH, i + 1))
                            .as("WRITE %d", i)
                            .isTrue();
                    break;
                case 3:
                    assertThat(!mustBe || p.a.holds(4096 + (i / KINDS) * SLOT, LENGTH, 99))
                            .as("READ %d", i)
                            .isTrue();
                    break;
                case 5:
                case 7:
                    if (!mustBe && appended.isEmpty()) {
                        break;
                    }
                    assertThat(appended).as("append %d", i).isNotEmpty();
                    int length = i % KINDS == 5 ? LENGTH : 100;
                    assertThat(appended.remove(0).bytes())
                            .as("append %d", at)
                            .isEqualTo(p.a.bytes(SOURCE + i * SLOT, length));
                    break;
                default:
            }
        }
        assertThat(appended).as("appends done twice").isEmpty();
        List<Wc> good = p.b.receives.stream().filter(Wc::isSuccess).toList();
        assertThat(good).as("receives").hasSizeBetween((int) (count(done, 0) + count(done, 4)), received.size());
        for (int k = 0; k < good.size(); k++) {
            int i = received.get(k);
            assertThat(good.get(k).wrId()).isEqualTo(i);
            assertThat(good.get(k).immediate()).isEqualTo(i);
            assertThat(p.b.holds(received(i), LENGTH, i + 1))
                    .as("message %d", i)
                    .isTrue();
        }
    }

    private static long count(int done, int kind) {
        return Math.max(0, (done - kind + KINDS - 1) / KINDS);
    }

    /** What the queue pair has been told. */
    @Override
    public String toString() {
        return operations + " operations, " + Arrays.toString(new UnsafeBuffer(p.b.bytes(0, 16)).byteArray());
    }
}
