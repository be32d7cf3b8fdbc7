package io.verbena.bench.path;

import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The paths, by the name that a benchmark's parameter has, and what each can do. Verbena's own say what carries a
 * message, a verb or the framework's calls (RPC), and what is between the ends: the memory of one process (LOCAL),
 * shared memory (SHM), Unix-domain sockets (UDS) or TCP, by epoll unless NIO or io_uring (URING) is named, in clear
 * unless it is mutual TLS. SEND_SRQ is SEND to a shared receive queue.
 */
public enum PathKind {
    VERBENA_APPEND_LOCAL(PathVerb.APPEND, FabricKind.LOCAL),
    VERBENA_APPEND_SHM(PathVerb.APPEND, FabricKind.SHM),
    VERBENA_APPEND_UDS(PathVerb.APPEND, FabricKind.UDS),
    VERBENA_APPEND_TCP(PathVerb.APPEND, FabricKind.TCP),
    VERBENA_APPEND_TLS_TCP(PathVerb.APPEND, FabricKind.TLS_TCP),
    VERBENA_APPEND_NIO_TCP(PathVerb.APPEND, FabricKind.NIO_TCP),
    VERBENA_APPEND_URING_TCP(PathVerb.APPEND, FabricKind.URING_TCP),
    VERBENA_SEND_LOCAL(PathVerb.SEND, FabricKind.LOCAL),
    VERBENA_SEND_SHM(PathVerb.SEND, FabricKind.SHM),
    VERBENA_SEND_UDS(PathVerb.SEND, FabricKind.UDS),
    VERBENA_SEND_TCP(PathVerb.SEND, FabricKind.TCP),
    VERBENA_SEND_TLS_TCP(PathVerb.SEND, FabricKind.TLS_TCP),
    VERBENA_SEND_NIO_TCP(PathVerb.SEND, FabricKind.NIO_TCP),
    VERBENA_SEND_URING_TCP(PathVerb.SEND, FabricKind.URING_TCP),
    VERBENA_SEND_SRQ_LOCAL(PathVerb.SEND_SRQ, FabricKind.LOCAL),
    VERBENA_SEND_SRQ_SHM(PathVerb.SEND_SRQ, FabricKind.SHM),
    VERBENA_SEND_SRQ_UDS(PathVerb.SEND_SRQ, FabricKind.UDS),
    VERBENA_SEND_SRQ_TCP(PathVerb.SEND_SRQ, FabricKind.TCP),
    VERBENA_WRITE_LOCAL(PathVerb.WRITE, FabricKind.LOCAL),
    VERBENA_WRITE_SHM(PathVerb.WRITE, FabricKind.SHM),
    VERBENA_WRITE_UDS(PathVerb.WRITE, FabricKind.UDS),
    VERBENA_WRITE_TCP(PathVerb.WRITE, FabricKind.TCP),
    VERBENA_WRITE_TLS_TCP(PathVerb.WRITE, FabricKind.TLS_TCP),
    VERBENA_WRITE_NIO_TCP(PathVerb.WRITE, FabricKind.NIO_TCP),
    VERBENA_WRITE_URING_TCP(PathVerb.WRITE, FabricKind.URING_TCP),
    VERBENA_READ_LOCAL(PathVerb.READ, FabricKind.LOCAL),
    VERBENA_READ_SHM(PathVerb.READ, FabricKind.SHM),
    VERBENA_READ_UDS(PathVerb.READ, FabricKind.UDS),
    VERBENA_READ_TCP(PathVerb.READ, FabricKind.TCP),
    VERBENA_READ_NIO_TCP(PathVerb.READ, FabricKind.NIO_TCP),
    VERBENA_READ_URING_TCP(PathVerb.READ, FabricKind.URING_TCP),
    VERBENA_FETCH_ADD_LOCAL(PathVerb.FETCH_ADD, FabricKind.LOCAL),
    VERBENA_FETCH_ADD_SHM(PathVerb.FETCH_ADD, FabricKind.SHM),
    VERBENA_FETCH_ADD_UDS(PathVerb.FETCH_ADD, FabricKind.UDS),
    VERBENA_FETCH_ADD_TCP(PathVerb.FETCH_ADD, FabricKind.TCP),
    VERBENA_FETCH_ADD_NIO_TCP(PathVerb.FETCH_ADD, FabricKind.NIO_TCP),
    VERBENA_FETCH_ADD_URING_TCP(PathVerb.FETCH_ADD, FabricKind.URING_TCP),
    VERBENA_RPC_LOCAL(Way.RPC, FabricKind.LOCAL),
    VERBENA_RPC_SHM(Way.RPC, FabricKind.SHM),
    VERBENA_RPC_UDS(Way.RPC, FabricKind.UDS),
    VERBENA_RPC_TCP(Way.RPC, FabricKind.TCP),
    /** Aeron IPC, an exclusive publication. */
    AERON_IPC(Way.AERON, AeronEnd.Mode.IPC_EXCLUSIVE),
    /** Aeron IPC, a concurrent publication. */
    AERON_IPC_CONCURRENT(Way.AERON, AeronEnd.Mode.IPC_CONCURRENT),
    /** Aeron over UDP on the loopback interface. */
    AERON_UDP(Way.AERON, AeronEnd.Mode.UDP),
    /** Agrona's ring buffer of one producer. */
    AGRONA_ONE_TO_ONE(Way.RING, false),
    /** Agrona's ring buffer of many producers. */
    AGRONA_MANY_TO_ONE(Way.RING, true),
    /** JCTools' queue of one producer. */
    JCTOOLS_SPSC(Way.QUEUE, false),
    /** JCTools' queue of many producers. */
    JCTOOLS_MPSC(Way.QUEUE, true),
    /** Raw Netty over Unix-domain sockets, epoll. */
    NETTY_UDS(Way.NETTY, NettySocket.EPOLL_UDS),
    /** Raw Netty over TCP, epoll. */
    NETTY_TCP(Way.NETTY, NettySocket.EPOLL_TCP),
    /** Raw Netty over mutual TLS, epoll. */
    NETTY_TLS_TCP(Way.NETTY, NettySocket.EPOLL_TLS_TCP),
    /** Netty over mutual TLS, epoll, each message behind its length and in a buffer of its own. */
    NETTY_FRAMED_TLS_TCP(Way.NETTY_FRAMED, NettySocket.EPOLL_TLS_TCP),
    /** Raw Netty over TCP, NIO. */
    NETTY_NIO_TCP(Way.NETTY, NettySocket.NIO_TCP),
    /** Raw Netty over TCP, io_uring. */
    NETTY_URING_TCP(Way.NETTY, NettySocket.URING_TCP),
    /** Netty over TCP, epoll, each message behind its length and in a buffer of its own, as Netty's codecs do it. */
    NETTY_FRAMED_TCP(Way.NETTY_FRAMED, NettySocket.EPOLL_TCP),
    /** The same with all short messages of a batch in one buffer, which no codec of Netty's does. */
    NETTY_BATCHED_TCP(Way.NETTY_BATCHED, NettySocket.EPOLL_TCP),
    /** gRPC's unary calls over TCP. */
    GRPC_UNARY(Way.GRPC, false),
    /** gRPC's streams in both directions over TCP. */
    GRPC_STREAM(Way.GRPC, true),
    /** A plain copy in the memory of the process. */
    MEMCPY(Way.COPY, false),
    /** A plain copy in a file in shared memory. */
    MEMCPY_SHM(Way.COPY, true),
    /** The processor's own fetch-and-add. */
    CPU_ATOMIC(Way.ATOMIC, false);

    /** What an end is made by. */
    private enum Way {
        VERB,
        RPC,
        AERON,
        RING,
        QUEUE,
        NETTY,
        NETTY_FRAMED,
        NETTY_BATCHED,
        GRPC,
        COPY,
        ATOMIC
    }

    private static final int SOCKET_WARM_UP = 3;

    private final Way way;
    private final PathVerb verb; // of the way VERB
    private final Object variant;

    PathKind(PathVerb verb, FabricKind fabric) {
        this.way = Way.VERB;
        this.verb = verb;
        this.variant = fabric;
    }

    PathKind(Way way, Object variant) {
        this.way = way;
        this.verb = PathVerb.APPEND;
        this.variant = variant;
    }

    /** The name of a parameter: lower case, with dashes. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** By the name of a parameter. */
    public static PathKind of(String name) {
        return find(name)
                .orElseThrow(() -> new RunException("unknown path '" + name + "', expected one of "
                        + Arrays.stream(values()).map(PathKind::optionName).collect(Collectors.joining(" "))));
    }

    /** By the name of a parameter, if there is one of that name. */
    public static Optional<PathKind> find(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.optionName().equals(name))
                .findFirst();
    }

    /** Whether it is Verbena's own, and not a peer's. */
    public boolean isOwn() {
        return way == Way.VERB || way == Way.RPC;
    }

    /** Whether its ends may be in two processes. */
    public boolean isBetweenProcesses() {
        return variant != FabricKind.LOCAL && way != Way.QUEUE;
    }

    /** Whether many messages may be under way in one direction, each seen by the other end. */
    public boolean isStream() {
        switch (way) {
            case VERB:
                return verb.isMessage();
            case AERON, RING, QUEUE, NETTY, NETTY_FRAMED, NETTY_BATCHED:
                return true;
            default:
                return false;
        }
    }

    /**
     * Whether what the near end offers are requests that it sees the end of itself: of many under way, its own
     * {@link End#taken} counts those that are complete.
     */
    public boolean isRequest() {
        return !isStream();
    }

    /** Whether every message has {@value End#MIN_LENGTH} bytes, whatever length is asked for. */
    public boolean isWord() {
        return way == Way.ATOMIC || (way == Way.VERB && verb == PathVerb.FETCH_ADD);
    }

    /** Most producers that may send to one far end. */
    public int maxProducers() {
        boolean many = (way == Way.VERB && verb.isMessage())
                || this == AERON_IPC_CONCURRENT
                || this == AGRONA_MANY_TO_ONE
                || this == JCTOOLS_MPSC;
        return many ? PathSettings.MAX_PRODUCERS : 1;
    }

    /** Most queue pairs of a producer. */
    public int maxQueuePairs() {
        return way == Way.VERB ? PathSettings.MAX_QUEUE_PAIRS : 1;
    }

    /** How many times as long as a path in memory it takes until the compilers rest. */
    public int warmUpFactor() {
        return isInMemory() ? 1 : SOCKET_WARM_UP;
    }

    private boolean isInMemory() {
        switch (way) {
            case NETTY, NETTY_FRAMED, NETTY_BATCHED, GRPC:
                return false;
            default:
                return variant != AeronEnd.Mode.UDP
                        && (!(variant instanceof FabricKind)
                                || variant == FabricKind.SHM
                                || variant == FabricKind.LOCAL);
        }
    }

    /** Why this machine, or this build, does not have it, or null if it does. */
    public @Nullable String unavailable() {
        if (variant instanceof FabricKind fabric) {
            return fabric.unavailable();
        }
        if (variant instanceof NettySocket socket) {
            return socket.unavailable();
        }
        return this == MEMCPY_SHM && !Files.isDirectory(Path.of("/dev/shm")) ? "there is no /dev/shm" : null;
    }

    /**
     * Opens an end for round trips, while another thread or process opens the other.
     *
     * @param rendezvous with the other
     * @param near whether it is the end that measures
     * @param length bytes of a message, at least {@link End#MIN_LENGTH}
     */
    public End open(Rendezvous rendezvous, boolean near, int length) {
        return open(rendezvous, near, PathSettings.ofLength(length));
    }

    /**
     * Opens an end, while another thread or process opens the other with the same settings. Best on a thread of Netty's
     * ({@link io.netty.util.concurrent.FastThreadLocalThread}), whose writes then allocate less.
     *
     * @param rendezvous with the other
     * @param near whether it is the end that measures
     * @param settings of both
     */
    public End open(Rendezvous rendezvous, boolean near, PathSettings settings) {
        atMost("producers", settings.producers(), maxProducers());
        atMost("queuePairs", settings.queuePairs(), maxQueuePairs());
        PathSettings used = isWord() ? settings.withLength(Long.BYTES) : settings;
        switch (way) {
            case VERB:
                return verbs(near, used).join(rendezvous, near);
            case RPC:
                return new RpcEnd(rendezvous, near, (FabricKind) variant, used);
            case AERON:
                return new AeronEnd(rendezvous, near, (AeronEnd.Mode) variant, used);
            case RING:
                return new RingEnd(rendezvous, near, (Boolean) variant, used);
            case QUEUE:
                return new QueueEnd(rendezvous, near, (Boolean) variant, used);
            case NETTY:
                return new NettyEnd(rendezvous, near, (NettySocket) variant, NettyEnd.Form.PLAIN, used);
            case NETTY_FRAMED:
                return new NettyEnd(rendezvous, near, (NettySocket) variant, NettyEnd.Form.FRAMED, used);
            case NETTY_BATCHED:
                return new NettyEnd(rendezvous, near, (NettySocket) variant, NettyEnd.Form.BATCHED, used);
            case GRPC:
                return new GrpcEnd(rendezvous, near, (Boolean) variant, used);
            case COPY:
                return new CopyEnd(rendezvous, near, (Boolean) variant, used);
            default:
                return new AtomicEnd(rendezvous, near, used);
        }
    }

    private void atMost(String name, int value, int maximum) {
        if (value > maximum) {
            throw new RunException(name + " " + value + " > maximum " + maximum + " of " + optionName());
        }
    }

    private VerbenaEnd verbs(boolean near, PathSettings settings) {
        FabricKind fabric = (FabricKind) variant;
        switch (verb) {
            case APPEND:
                return new AppendEnd(fabric, near, settings);
            case SEND, SEND_SRQ:
                return new SendEnd(verb, fabric, near, settings);
            case WRITE:
                return settings.traffic() == PathSettings.Traffic.ROUND_TRIP
                        ? new WriteEnd(fabric, near, settings.withDepth(2))
                        : new OneSidedEnd(verb, fabric, near, settings);
            default:
                return new OneSidedEnd(
                        verb,
                        fabric,
                        near,
                        settings.traffic() == PathSettings.Traffic.ROUND_TRIP ? settings.withDepth(1) : settings);
        }
    }
}
