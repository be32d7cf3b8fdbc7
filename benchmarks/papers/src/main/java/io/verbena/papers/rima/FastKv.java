package io.verbena.papers.rima;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongArrayList;

/**
 * The key-value service of RIMA's 5.2: one client that sends SETs and GETs to many servers, in turns, each GET for what
 * the SET before it has stored, and gets a reply to each. Requests and replies are received in append queues
 * (FastKV-RIMA), or by SENDs in shared receive queues of 256 buffers of 1 MiB (FastKV-RDMA), where the client has no
 * more requests under way to a server than it has credits. SETs are of the workload's sizes.
 *
 * <p>Two numbers of the paper are put in: a client that makes 12.9 M requests/s at most (4), as a NIC that takes 38 ns
 * a packet, one for the request and one for the reply's acknowledgement; and the round trip of 22 us that its
 * throughputs imply.
 */
final class FastKv {
    /** A request's way there, and its reply's back; with the work at both ends 22 us. */
    static final long DELAY_NANOS = 10_850;

    /** Buffers of a shared receive queue: 256 MiB. */
    static final int BUFFERS = 256;

    private static final long PACKET_NANOS = 38;
    private static final int MACHINES = 15;
    private static final long CLIENT = 1;
    private static final int QUEUE_PAIRS = 1024;
    private static final int KEYS = 64; // of a connection, more than SETs under way
    private static final int KEY_LENGTH = 8;
    private static final int OVERHEAD = RequestDescriptor.HEADER_LENGTH
            + RequestDescriptor.argumentLength(KEY_LENGTH)
            + RequestDescriptor.argumentLength(0);
    private static final int REPLY_OVERHEAD = 32;

    /**
     * What is run.
     *
     * @param appends whether messages are received in append queues
     * @param reserve of an append queue, in chunks
     * @param delayNanos of the way there, and of the way back
     */
    record Setting(boolean appends, int reserve, long delayNanos) {
        /** FastKV-RIMA. */
        static final Setting RIMA = new Setting(true, 9, DELAY_NANOS);

        /** FastKV-RDMA. */
        static final Setting RDMA = new Setting(false, 0, DELAY_NANOS);
    }

    /**
     * What came of it. Immutable.
     *
     * @param throughput requests a second that were answered
     * @param p50 time from posting a request to having its reply, in nanoseconds
     * @param p99 the same
     * @param mostBytes memory for what is received, of the client or a server, whichever had most
     */
    record Result(double throughput, long p50, long p99, long mostBytes) {}

    private final Setting setting;
    private final int limit;
    private final int peersOfServer;
    private final Simulation simulation;
    private final SimNode client;
    private final ProtectionDomain domain;
    private final KvQueue replies;
    private final KvSource source;
    private final List<KvServer> servers = new ArrayList<>();
    private final Map<Integer, Peer> peers = new HashMap<>();
    private final List<Peer> inTurn = new ArrayList<>();
    private final EtcWorkload workload;
    private final RequestEncoder encoder = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final SendRequest request = new SendRequest();
    private final LongArrayList latencies = new LongArrayList();
    private long answered;

    /** A connection, and what is under way on it: requests are executed and answered in order. */
    private final class Peer {
        final QueuePair qp;
        final KvServer server;
        final long[] postedNanos = new long[limit];
        final int[] values = new int[KEYS]; // lengths of what is stored
        long posted;
        long done;

        Peer(QueuePair qp, KvServer server) {
            this.qp = qp;
            this.server = server;
        }
    }

    /**
     * Brings it up.
     *
     * @param count connections, spread over the paper's 15 machines
     * @param limit requests under way on each
     */
    private FastKv(Setting setting, long seed, int count, int limit) {
        this.setting = setting;
        this.limit = limit;
        int machines = Math.min(MACHINES, count);
        peersOfServer = (count + machines - 1) / machines;
        simulation = new Simulation(seed, 1);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(CLIENT, NicModel.infiniband56().packet(PACKET_NANOS));
        client = new SimNode(simulation, fabric, "client", CLIENT, new SimNode.Options().queuePairs(QUEUE_PAIRS));
        domain = client.nic().allocateProtectionDomain();
        replies = queue(client, domain, count * limit);
        source = new KvSource(domain);
        workload = new EtcWorkload(EtcVariant.ETC_RIMA, seed);
        LinkProfile link = LinkProfile.infiniband56().delay(setting.delayNanos);
        for (int i = 0; i < machines; i++) {
            SimNode node = new SimNode(simulation, fabric, "server" + i, CLIENT + 1 + i);
            fabric.connect(
                    client.name(),
                    client.nic().engine(0).endpoint(),
                    node.name(),
                    node.nic().engine(0).endpoint(),
                    link,
                    link);
            ProtectionDomain own = node.nic().allocateProtectionDomain();
            servers.add(new KvServer(node, own, queue(node, own, peersOfServer * limit), replies));
        }
        simulation.runFor(0);
        for (int i = 0; i < count; i++) {
            Peer peer = connect(servers.get(i % machines));
            peers.put(peer.qp.number(), peer);
            inTurn.add(peer);
        }
        simulation.add("load", new Requests());
    }

    private KvQueue queue(SimNode node, ProtectionDomain of, int inUse) {
        return setting.appends ? KvQueue.append(node, of, setting.reserve) : KvQueue.shared(node, of, BUFFERS, inUse);
    }

    private Peer connect(KvServer server) {
        QueuePair from = domain.createQueuePair(replies.attributes().maxSend(limit));
        QueuePair to =
                server.domain.createQueuePair(server.requests.attributes().maxSend(2 * limit));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(IncastWorld.MTU);
        from.connect(server.node.nicId(), to.number(), attributes);
        to.connect(CLIENT, from.number(), attributes);
        server.accept(to);
        return new Peer(from, server);
    }

    /**
     * Runs it, for so long after as long a start.
     *
     * @param count connections
     * @param limit requests under way on each
     */
    static Result run(Setting setting, long seed, int count, int limit, long nanos) {
        FastKv run = new FastKv(setting, seed, count, limit);
        run.simulation.runFor(nanos);
        long before = run.answered;
        run.latencies.clear();
        run.simulation.runFor(nanos);
        long[] sorted = run.latencies.toLongArray();
        Arrays.sort(sorted);
        long most = run.replies.mostBytes();
        for (KvServer server : run.servers) {
            most = Math.max(most, server.requests.mostBytes());
            server.close();
        }
        return new Result((run.answered - before) * 1e9 / nanos, at(sorted, 0.50), at(sorted, 0.99), most);
    }

    private static long at(long[] sorted, double part) {
        return sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
    }

    /** Posts whatever may be under way, and takes the replies that have come. */
    private final class Requests implements Actor {
        @Override
        public int step() {
            int work = replies.poll(FastKv.this::answered);
            for (int i = 0; i < servers.size(); i++) {
                work += servers.get(i).turn();
            }
            for (int i = 0; i < inTurn.size(); i++) {
                Peer peer = inTurn.get(i);
                while (peer.posted - peer.done < limit && peer.qp.outstanding() < limit) {
                    post(peer);
                    work++;
                }
            }
            return work;
        }

        @Override
        public long nextDeadlineNanos() {
            return NO_DEADLINE;
        }
    }

    private void post(Peer peer) {
        long number = peer.posted;
        int key = key(number);
        boolean sets = isSet(number);
        if (sets) {
            int most = KvQueue.MAX - OVERHEAD - REPLY_OVERHEAD;
            peer.values[key] = Math.max(1, Math.min(most, workload.messageBytes() - OVERHEAD));
        }
        int length = OVERHEAD + (sets ? RequestDescriptor.argumentLength(peer.values[key]) : 0);
        int at = source.claim(length);
        encoder.begin(source.buffer(), at, sets ? KvOp.SET : KvOp.GET, 0, number, 0);
        source.buffer().putLong(encoder.claimArgument(KEY_LENGTH), (long) peer.qp.number() << 32 | key);
        if (sets) {
            int value = encoder.claimArgument(peer.values[key]);
            source.buffer().setMemory(value, peer.values[key], (byte) number);
        }
        peer.server
                .requests
                .address(request)
                .local(source.key(), at, encoder.length())
                .signaled(false);
        if (peer.qp.postSend(request) != PostResult.POSTED) {
            throw new IllegalStateException("no room with " + peer.qp.outstanding() + " of " + limit);
        }
        peer.postedNanos[(int) (number % limit)] = simulation.nowNanos();
        peer.posted++;
    }

    /** A SET, and then a GET of the same key. */
    private static boolean isSet(long number) {
        return (number & 1) == 0;
    }

    private static int key(long number) {
        return (int) (number / 2 % KEYS);
    }

    private void answered(DirectBuffer buffer, int offset, int length, int qpNumber) {
        Peer peer = Objects.requireNonNull(peers.get(qpNumber));
        long number = peer.done++;
        cursor.wrap(buffer, offset, length);
        boolean isNext = cursor.correlation() == number && cursor.next();
        if (!isNext || !(isSet(number) ? cursor.type() == ReplyType.STATUS : isValue(peer, number))) {
            throw new IllegalStateException("request " + number + " got another reply: " + cursor.type());
        }
        latencies.addLong(simulation.nowNanos() - peer.postedNanos[(int) (number % limit)]);
        answered++;
    }

    /** Whether a reply is what the SET before it has stored; a later one may have been posted, but of another key. */
    private boolean isValue(Peer peer, long number) {
        int length = peer.values[key(number)];
        return cursor.type() == ReplyType.BULK
                && cursor.textLength() == length
                && cursor.buffer().getByte(cursor.textOffset()) == (byte) (number - 1)
                && cursor.buffer().getByte(cursor.textOffset() + length - 1) == (byte) (number - 1);
    }
}
