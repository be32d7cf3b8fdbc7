package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AppendRunFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Adjacent appends share a packet, and each is still a message with its own fate. */
@Timeout(180)
class AppendRunTest {
    private static final long A = 0xA0;
    private static final long B = 0xB0;
    private static final long MILLI = 1_000_000L;
    private static final int CHUNK = 64 << 10;
    private static final int LONG = 400;

    private final Simulation simulation = new Simulation(1);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode near = new SimNode(simulation, fabric, "near", A);
    private final SimNode far = new SimNode(simulation, fabric, "far", B);
    private final CompletionQueue completions = near.nic().createCompletionQueue(1024);
    private final CompletionQueue farCompletions = far.nic().createCompletionQueue(64);
    private final ProtectionDomain nearPd = near.nic().allocateProtectionDomain();
    private final ProtectionDomain farPd = far.nic().allocateProtectionDomain();
    private final MemoryRegion region = nearPd.allocate(1 << 20, Access.ALL);
    private final QueuePair qp = nearPd.createQueuePair(
            new QueuePairAttributes().completionQueue(completions).maxSend(512).maxInline(64));
    private final QueuePair farQp = farPd.createQueuePair(new QueuePairAttributes().completionQueue(farCompletions));
    private final AppendQueue queue = farPd.createAppendQueue(new AppendQueueAttributes()
            .chunkLength(CHUNK)
            .maxMessage(8192)
            .reserveChunks(1)
            .memoryLimit(2L * CHUNK + 8192));
    private final SimConnection link = fabric.connect(
            near.nic().engine(0).endpoint(), far.nic().engine(0).endpoint(), new LinkProfile().duplication(0));
    private final SendRequest request = new SendRequest();
    private final UnsafeBuffer data = new UnsafeBuffer(new byte[8]);
    private final List<Opcode> sent = new ArrayList<>();
    private final List<WcStatus> statuses = new ArrayList<>();
    private final List<Long> completed = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();

    AppendRunTest() {
        simulation.runFor(0);
        ConnectAttributes attributes = new ConnectAttributes().timeout(5).pathMtu(4096);
        qp.connect(B, farQp.number(), attributes);
        farQp.connect(A, qp.number(), attributes);
        simulation.add(
                "app",
                () -> completions.poll(
                        c -> {
                            statuses.add(c.status());
                            completed.add(c.wrId());
                        },
                        64));
        link.a().tamper((buffer, offset, bytes) -> {
            sent.add(Opcode.of(BthFlyweight.opcode(buffer, offset)));
            return Tamper.Verdict.PASS;
        });
    }

    private void post(long number) {
        data.putLong(0, number);
        assertThat(qp.post(request.append(queue.id(), queue.key())
                        .inline(data, 0, 8)
                        .wrId(number)))
                .isEqualTo(PostResult.POSTED);
    }

    private void postMany(int count) {
        for (int i = 0; i < count; i++) {
            post(i);
        }
        qp.doorbell();
    }

    private void take(int limit) {
        queue.poll((buffer, offset, length, from, immediate, flags) -> received.add(buffer.getLong(offset)), limit);
    }

    private void runUntilCompleted(int count) {
        simulation.runUntil(
                () -> {
                    take(64);
                    return completed.size() == count;
                },
                2000 * MILLI);
        take(1024);
        assertThat(completed).hasSize(count).isSorted().doesNotHaveDuplicates();
    }

    private void assertNumbers(int count) {
        assertThat(received).hasSize(count).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void adjacentAppendsShareAPacket() {
        postMany(300);
        runUntilCompleted(300);
        assertThat(statuses).containsOnly(WcStatus.SUCCESS);
        assertNumbers(300);
        assertThat(sent).contains(Opcode.APPEND_RUN).hasSizeLessThan(300 / 20);
    }

    /**
     * Of any size up to the path's MTU, with and without immediates, from memory and inline; what differs is not
     * merged.
     */
    @Test
    void eachMessageIsWhatWasPosted() {
        for (int i = 0; i < region.length(); i++) {
            region.buffer().putByte(i, (byte) (i * 31));
        }
        int[] lengths = {0, 1, 8, 900, 7, 5000, 16, 0, 333, 5};
        List<String> expected = new ArrayList<>();
        int number = 0;
        for (int round = 0; round < 10; round++) {
            for (int length : lengths) {
                int offset = number * 17;
                if (number % 3 == 0) {
                    request.appendImmediate(queue.id(), queue.key(), -number);
                } else {
                    request.append(queue.id(), queue.key());
                }
                if (length <= 64 && number % 2 == 0) {
                    request.inline(region.buffer(), offset, length);
                } else if (length > 0) {
                    request.local(region.key(), offset, length);
                }
                assertThat(qp.post(request.wrId(number))).isEqualTo(PostResult.POSTED);
                expected.add(text(region.buffer(), offset, length, number % 3 == 0 ? -number : 0, number % 3 == 0));
                number++;
            }
        }
        qp.doorbell();
        List<String> found = new ArrayList<>();
        int count = number;
        simulation.runUntil(
                () -> {
                    queue.poll(
                            (buffer, offset, length, from, immediate, flags) -> found.add(text(
                                    buffer, offset, length, immediate, (flags & RecordDescriptor.HAS_IMMEDIATE) != 0)),
                            64);
                    return found.size() == count && completed.size() == count;
                },
                2000 * MILLI);
        assertThat(found).isEqualTo(expected);
        assertThat(completed).isSorted().hasSize(count);
        assertThat(sent).contains(Opcode.APPEND_RUN, Opcode.APPEND_FIRST);
    }

    private static String text(DirectBuffer buffer, int offset, int length, int immediate, boolean hasImmediate) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return length + " " + Arrays.hashCode(bytes) + (hasImmediate ? " #" + immediate : "");
    }

    /** Posts a message of 400 bytes, of which a chunk holds 157 and a run 9. */
    private PostResult postLong(long number) {
        int offset = (int) (number * 512 & region.length() - 1);
        region.buffer().putLong(offset, number);
        return qp.post(request.append(queue.id(), queue.key())
                .local(region.key(), offset, LONG)
                .wrId(number));
    }

    /** A queue that has room for some of a run takes those, and the rest when there is room again. */
    @Test
    void aRunThatHasNoRoomIsTakenAsFarAsItGoes() {
        for (int i = 0; i < 400; i++) {
            assertThat(postLong(i)).isEqualTo(PostResult.POSTED);
        }
        qp.doorbell();
        simulation.runFor(5 * MILLI);
        int taken = completed.size();
        assertThat(taken).as("17 runs, and 17 and 4 of the next").isEqualTo(153 + 157);
        runUntilCompleted(400);
        assertNumbers(400);
        assertThat(statuses).containsOnly(WcStatus.SUCCESS);
        assertThat(queue.query().rnr()).isPositive();
    }

    @Test
    void aQueueThatIsFullForLongLosesNothing() {
        for (int i = 0; i < 700; ) {
            if (postLong(i) == PostResult.POSTED) {
                i++;
            } else {
                qp.doorbell();
                simulation.runFor(MILLI);
                take(10);
            }
        }
        qp.doorbell();
        runUntilCompleted(700);
        assertNumbers(700);
        assertThat(queue.query().rnr()).isPositive();
    }

    /** The peer has taken a part of a run and its word of that is lost: the run comes again, and the rest is taken. */
    @Test
    void ofARunThatComesAgainWhatIsLeftIsTaken() {
        int[] lost = new int[1];
        link.b().tamper((buffer, offset, bytes) -> {
            int syndrome = AethFlyweight.syndrome(buffer, offset + Opcode.ACKNOWLEDGE.aethOffset());
            return AethSyndrome.isRnrNak(syndrome) && lost[0]++ < 3 ? Tamper.Verdict.DROP : Tamper.Verdict.PASS;
        });
        for (int i = 0; i < 400; i++) {
            assertThat(postLong(i)).isEqualTo(PostResult.POSTED);
        }
        qp.doorbell();
        simulation.runFor(5 * MILLI);
        runUntilCompleted(400);
        assertThat(statuses).containsOnly(WcStatus.SUCCESS);
        assertNumbers(400);
        assertThat(lost[0]).isGreaterThan(3);
    }

    /** A run that is lost is sent again, and a copy of it that comes late is none. */
    @Test
    void aRunThatIsLostAndComesLateIsTakenOnce() {
        UnsafeBuffer copy = new UnsafeBuffer(new byte[2048]);
        int[] length = new int[1];
        link.a().tamper((buffer, offset, bytes) -> {
            Opcode opcode = Opcode.of(BthFlyweight.opcode(buffer, offset));
            sent.add(opcode);
            if (length[0] == 0 && opcode == Opcode.APPEND_RUN) {
                length[0] = bytes;
                copy.putBytes(0, buffer, offset, bytes);
                return Tamper.Verdict.DROP;
            }
            return Tamper.Verdict.PASS;
        });
        postMany(40);
        simulation.runUntil(() -> completed.size() >= 3, 10 * MILLI);
        link.a().inject(copy, 0, length[0]);
        runUntilCompleted(40);
        link.a().inject(copy, 0, length[0]);
        simulation.runFor(MILLI);
        take(100);
        assertNumbers(40);
        assertThat(qp.state()).isEqualTo(QpState.RTS);
        assertThat(farQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aRunForAQueueThatIsGoneFailsAsItsFirstMessage() {
        queue.destroy(true);
        postMany(30);
        simulation.runUntil(() -> completed.size() == 30, 100 * MILLI);
        assertThat(sent).startsWith(Opcode.APPEND_RUN);
        assertThat(completed).isSorted().hasSize(30);
        assertThat(statuses.get(0)).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        assertThat(statuses.subList(1, 30)).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    /** What does not say what it is harms the connection that it came by, and nothing of it is delivered. */
    @Test
    void aRunThatIsNotSoundIsRefused() {
        UnsafeBuffer packet = new UnsafeBuffer(new byte[256]);
        int headers = Opcode.APPEND_RUN.headerLength();
        BthFlyweight.encode(
                packet, 0, Opcode.APPEND_RUN.code(), BthFlyweight.ACK_REQUEST, farQp.number(), 0, qp.number());
        AppendEthFlyweight.encodeRun(packet, Opcode.APPEND_RUN.appendEthOffset(), queue.id(), queue.key(), 48, 3, 1);
        for (int i = 0; i < 3; i++) {
            AppendRunFlyweight.encode(
                    packet, headers + 16 * i, i < 2 ? 8 : 9, 0); // the last one goes beyond the packet
        }
        link.a().inject(packet, 0, headers + 48);
        simulation.runFor(MILLI);
        take(10);
        assertThat(received).isEmpty();
        assertThat(farQp.state()).isEqualTo(QpState.ERR);
    }
}
