package io.verbena.papers.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.verbs.EngineMode;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A receiver and some senders of a scheme, each on a NIC of its own, in this process and on this thread. A message's
 * content is a function of its sender, its number and its length; of what comes, each is checked to be whole, once, and
 * of a sender's messages by the same lane in order.
 */
final class Ends implements AutoCloseable {
    static final int MAX = 1 << 20;
    private static final long STUCK_NANOS = 20_000_000_000L;

    final ReceiveScheme receiver;
    final SendScheme[] senders;
    private final FabricNode receiverNode;
    private final FabricNode[] nodes;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[MAX]);
    private final UnsafeBuffer expected = new UnsafeBuffer(new byte[MAX]);
    private final int[] sent;
    private final Map<Long, Integer> underWay = new HashMap<>();
    private final Map<Long, Integer> last = new HashMap<>();
    private final CRC32C checksum = new CRC32C();
    boolean checksContents = true;
    int received;
    private long now;
    private final IntUnaryOperator laneOf;

    /**
     * Opens and connects all.
     *
     * @param scheme of the ends
     * @param fabric that links them
     * @param count of senders
     * @param laneOf the lane of a length: messages of a sender's lane keep their order
     */
    Ends(Scheme scheme, FabricKind fabric, int count, IntUnaryOperator laneOf) {
        this.laneOf = laneOf;
        receiverNode = FabricNode.open(fabric, EngineMode.INVOKER);
        receiver = scheme.receiver(receiverNode.nic());
        InetAddress loopback = InetAddress.getLoopbackAddress();
        String address = receiverNode.listen(loopback);
        nodes = new FabricNode[count];
        senders = new SendScheme[count];
        sent = new int[count];
        for (int i = 0; i < count; i++) {
            FabricNode node = FabricNode.open(fabric, EngineMode.INVOKER);
            nodes[i] = node;
            node.connect(loopback, address, STUCK_NANOS);
            node.awaitLink(receiverNode.nic().id(), receiverNode::drive);
            receiverNode.awaitLink(node.nic().id(), node::drive);
            senders[i] = scheme.sender(node.nic());
            SchemeAddress invitation = SchemeAddress.parse(receiver.invite().toText());
            receiver.accept(SchemeAddress.parse(senders[i].connect(invitation).toText()));
        }
    }

    /** Lets the schemes' own time pass. */
    void passTime(long nanos) {
        now += nanos;
    }

    /** Offers a message. @return whether it was taken on */
    boolean offer(int sender, int length) {
        fill(message, sender, sent[sender], length);
        if (!senders[sender].offer(message, 0, length, sent[sender])) {
            return false;
        }
        underWay.put(MessageSink.tag(sender, sent[sender]), length);
        sent[sender]++;
        return true;
    }

    /** Sends so many messages from each, one after the other, and takes all. */
    void exchange(EtcWorkload etc, int each) {
        int[] length = new int[senders.length];
        boolean[] waiting = new boolean[senders.length];
        int target = received + underWay.size() + each * senders.length;
        int[] goal = sent.clone();
        long deadline = System.nanoTime() + STUCK_NANOS;
        while (received < target) {
            for (int i = 0; i < senders.length; i++) {
                if (sent[i] < goal[i] + each) {
                    length[i] = waiting[i] ? length[i] : etc.messageBytes();
                    waiting[i] = !offer(i, length[i]);
                }
            }
            turn();
            assertThat(System.nanoTime())
                    .as("%d of %d have come", received, target)
                    .isLessThan(deadline);
        }
        settle();
    }

    /** Drives all engines, and lets no end look. */
    void drive() {
        for (FabricNode node : nodes) {
            node.drive();
        }
        receiverNode.drive();
    }

    /** Polls all ends once. */
    void turn() {
        for (SendScheme sender : senders) {
            sender.poll();
        }
        receiver.maintain(now);
        receiver.poll(this::onMessage, 64);
    }

    /** Polls all ends so many times. */
    void turns(int count) {
        for (int i = 0; i < count; i++) {
            turn();
        }
    }

    /** Polls until every message has come and is complete. */
    void settle() {
        long deadline = System.nanoTime() + STUCK_NANOS;
        while (underWay.size() > 0 || outstanding() > 0) {
            turn();
            assertThat(System.nanoTime())
                    .as("%d have not come, %d are not complete", underWay.size(), outstanding())
                    .isLessThan(deadline);
        }
        turn();
    }

    private int outstanding() {
        int sum = 0;
        for (SendScheme sender : senders) {
            sum += sender.outstanding();
        }
        return sum;
    }

    private void onMessage(DirectBuffer buffer, int offset, int length, long tag) {
        received++;
        assertThat(underWay.remove(tag)).as("length of message %x", tag).isEqualTo(length);
        if (checksContents) {
            int sender = MessageSink.sender(tag);
            fill(expected, sender, MessageSink.number(tag), length);
            assertThat(sum(buffer, offset, length)).isEqualTo(sum(expected, 0, length));
        }
        long lane = MessageSink.tag(MessageSink.sender(tag), laneOf.applyAsInt(length));
        assertThat(MessageSink.number(tag)).as("order in lane %x", lane).isGreaterThan(last.getOrDefault(lane, -1));
        last.put(lane, MessageSink.number(tag));
    }

    private long sum(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        checksum.reset();
        checksum.update(bytes);
        return checksum.getValue();
    }

    private static void fill(UnsafeBuffer buffer, int sender, int number, int length) {
        buffer.setMemory(0, length, (byte) (31 * sender + number));
        for (int at = 0; at + Integer.BYTES <= length; at += 512) {
            buffer.putInt(at, number + at);
        }
    }

    @Override
    public void close() {
        for (SendScheme sender : senders) {
            sender.close();
        }
        receiver.close();
        for (FabricNode node : nodes) {
            node.close();
        }
        receiverNode.close();
    }
}
