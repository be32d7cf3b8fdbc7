package io.verbena.mux;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.MuxScheduler;
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
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/** Channels that share a queue pair over a simulated link, to one or more inboxes; what they bring is compared. */
final class SimChannels {
    static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    static final int SEGMENT = 16 << 10;
    static final int MAX = 300_000;
    static final int DEPTH = 16;
    private static final long A = 0xA0;
    private static final long B = 0xB0;

    /** One channel's messages: what is posted is a function of the channel and the message's number. */
    final class Sender {
        final int number;
        final AppendQueue inbox;
        final SharedPath path;
        final SendRequest request = new SendRequest();
        int posted;
        int received;
        long bytes; // received

        private Sender(int number, int weight, AppendQueue inbox) {
            this.number = number;
            this.inbox = inbox;
            this.path = shared.join(weight);
            shared.leadsTo(inbox.id());
            assertThat(path.stream()).isEqualTo(number + 1);
        }

        boolean post(int length) {
            boolean done = post(length, inbox.key());
            posted += done ? 1 : 0;
            return done;
        }

        /** Posts a message that the peer refuses for good. */
        boolean postWithWrongKey(int length) {
            return post(length, ~inbox.key());
        }

        private boolean post(int length, int key) {
            int at = (31 * number + 7 * posted) & 0xFF;
            request.appendImmediate(inbox.id(), key, posted).stream(path.stream())
                    .signaled(false)
                    .local(data.key(), at, length);
            return path.post(request) == PostResult.POSTED;
        }

        boolean isDone() {
            return received == posted && path.outstanding() == 0;
        }

        private void take(DirectBuffer b, int offset, int length, int immediate) {
            assertThat(immediate).as("message of channel %s", number).isEqualTo(received);
            int at = (31 * number + 7 * received) & 0xFF;
            for (int i = 0; i < length; i++) {
                if (b.getByte(offset + i) != data.buffer().getByte(at + i)) {
                    throw new AssertionError("message " + received + " of channel " + number + " is torn at " + i);
                }
            }
            received++;
            bytes += length;
        }
    }

    final List<Sender> senders = new ArrayList<>();
    final List<Integer> order = new ArrayList<>(); // channels of messages that were received
    final List<AppendQueue> inboxes = new ArrayList<>();
    final Simulation simulation;
    final SimConnection link;
    final SharedQueuePair shared;
    final CompletionQueue errors;
    final QueuePair peer;
    final SenderQuota quota;
    final SimNode a;
    final SimNode b;
    private final MemoryRegion data;

    SimChannels(long seed, LinkProfile profile, int segment, int quotaBytes) {
        this(seed, profile, segment, quotaBytes, 4 << 20);
    }

    SimChannels(long seed, LinkProfile profile, int segment, int quotaBytes, int... memory) {
        this(seed, profile, MuxScheduler.DEFICIT_ROUND_ROBIN, segment, quotaBytes, memory);
    }

    /**
     * Connects two nodes.
     *
     * @param memory bytes of each inbox, of which there is one for each number
     */
    SimChannels(long seed, LinkProfile profile, MuxScheduler discipline, int segment, int quotaBytes, int... memory) {
        simulation = new Simulation(seed);
        SimFabric fabric = new SimFabric(simulation);
        a = new SimNode(simulation, fabric, "a", A);
        b = new SimNode(simulation, fabric, "b", B);
        ProtectionDomain pd = a.nic().allocateProtectionDomain();
        errors = a.nic().createCompletionQueue(2048);
        shared = new SharedQueuePair(
                pd.createQueuePair(new QueuePairAttributes()
                        .completionQueue(errors)
                        .maxSge(1)
                        .maxSend(1024)
                        .maxInline(64)),
                DEPTH,
                DEPTH,
                segment,
                discipline);
        data = pd.allocate(MAX + 256, 0);
        Random random = new Random(1);
        for (int i = 0; i < MAX + 256; i++) {
            data.buffer().putByte(i, (byte) random.nextInt());
        }
        ProtectionDomain there = b.nic().allocateProtectionDomain();
        quota = b.nic().createSenderQuota(quotaBytes);
        for (int bytes : memory) {
            inboxes.add(there.createAppendQueue(new AppendQueueAttributes()
                    .chunkLength(64 << 10)
                    .maxMessage(MAX)
                    .memoryLimit(bytes)));
        }
        peer = there.createQueuePair(new QueuePairAttributes()
                .completionQueue(b.nic().createCompletionQueue(64))
                .senderQuota(quota));
        feedPeer();
        link = fabric.connect(a.nic().engine(0).endpoint(), b.nic().engine(0).endpoint(), profile);
        simulation.runFor(0);
        ConnectAttributes attributes =
                new ConnectAttributes().timeout(8).retryCount(7).rnrRetry(7).minRnrTimer(2);
        shared.queuePair().connect(B, peer.number(), attributes);
        peer.connect(A, shared.queuePair().number(), attributes);
    }

    /** Many send by the peer's queue pair too: what it refuses it refuses alone. */
    private void feedPeer() {
        assertThat(new SharedQueuePair(peer, DEPTH, DEPTH, SEGMENT, MuxScheduler.DEFICIT_ROUND_ROBIN).members())
                .isZero();
    }

    Sender sender(int weight) {
        return sender(weight, 0);
    }

    Sender sender(int weight, int inbox) {
        Sender sender = new Sender(senders.size(), weight, inboxes.get(inbox));
        senders.add(sender);
        return sender;
    }

    void take(int most) {
        for (int i = 0; i < inboxes.size(); i++) {
            take(i, most);
        }
    }

    void take(int inbox, int most) {
        inboxes.get(inbox)
                .poll(
                        (from, offset, length, qp, immediate, flags) -> {
                            int number = RecordDescriptor.stream(flags) - 1;
                            order.add(number);
                            senders.get(number).take(from, offset, length, immediate);
                        },
                        most);
    }

    boolean isDone() {
        return senders.stream().allMatch(Sender::isDone);
    }

    /** Takes all that was posted. */
    void finish() {
        drain(this::isDone);
        assertThat(quota.bytes()).isZero();
    }

    /** Takes what arrives until something is so. */
    void drain(BooleanSupplier enough) {
        for (int i = 0; i < 20_000 && !enough.getAsBoolean(); i++) {
            simulation.runFor(MS);
            take(100);
        }
        assertThat(enough.getAsBoolean())
                .as(
                        "all has arrived: %s, %s",
                        shared.queuePair().state(),
                        senders.stream().map(s -> s.received + "/" + s.posted).toList())
                .isTrue();
    }

    /** A length of one of several kinds: a byte to many segments. */
    static int length(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> SEGMENT + 1 + random.nextInt(MAX - SEGMENT - 1);
            case 1 -> SEGMENT - 2 + random.nextInt(4);
            case 2 -> random.nextInt(SEGMENT);
            default -> random.nextInt(200);
        };
    }
}
