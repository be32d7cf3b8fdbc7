package io.verbena;

import static io.verbena.Limits.atLeast;
import static io.verbena.Limits.powerOfTwo;
import static io.verbena.Limits.range;

import io.verbena.connection.AccessRules;
import io.verbena.connection.ConnectionFlyweight;
import io.verbena.connection.ConnectionSettings;
import io.verbena.fabric.Nanos;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.fabric.shm.LocalFabric;
import io.verbena.fabric.shm.SharedMemoryProvider;
import io.verbena.link.LinkSettings;
import io.verbena.nic.NicContext;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.wire.AckTimeout;
import io.verbena.rate.agent.RateSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Settings with which a {@link Node} is launched: fluent setters over defaults, concluded once by {@link Node#launch}.
 * Mutable; not thread-safe.
 */
public final class NodeContext {
    private static final Duration MIN_IDLE = Duration.ofMillis(1);
    private static final long MIN_CALLBACK_BOUND = TimeUnit.MILLISECONDS.toNanos(4);
    private static final AtomicInteger UNNAMED = new AtomicInteger();

    private final AtomicBoolean concluded = new AtomicBoolean();

    @Nullable
    String name;

    NodeMode mode = NodeMode.ASSISTED;
    final List<Address> listen = new ArrayList<>();
    int maxQueuePairs = 4096;
    private int maxPerPeer; // 0: a quarter of all
    PollStrategy.Factory polling = Polling.kvm();
    private final NicContext nic = new NicContext().maxAppendQueues(256).maxMemoryRegions(4096);
    private final Connecting connecting = new Connecting();
    private final Securing securing = new Securing();
    boolean sharedMemory;
    Path sharedMemoryRoot = SharedMemoryProvider.DEFAULT_ROOT;
    int ringLength = LocalFabric.DEFAULT_RING_LENGTH;
    byte[] accessToken = new byte[0];
    final List<TenantOptions> tenants = new ArrayList<>();

    @Nullable
    Path admin;

    @Nullable
    RateSettings rates; // null: off

    NodeRuntime runtime = NodeRuntime.system();
    boolean closeOnShutdown = true;
    long callbackBoundNanos = TimeUnit.MILLISECONDS.toNanos(100);

    /** Creates the defaults: an ASSISTED node with a generated name, which listens only within its process. */
    public NodeContext() {}

    /** The node's name, unique in the process: 1 to 64 letters, digits, '.', '_' and '-'. */
    public NodeContext name(String nodeName) {
        name = Address.checkNodeName(nodeName);
        return this;
    }

    /** Who does the node's work. */
    public NodeContext mode(NodeMode nodeMode) {
        mode = nodeMode;
        return this;
    }

    /**
     * Adds an address to listen on: {@code tcp://host:port} (port 0 takes a free one), {@code uds:/path}, {@code
     * shm:name}. Every node can be reached as {@code local:} in its process.
     */
    public NodeContext listen(String address) {
        listen.add(Address.parseListen(address));
        return this;
    }

    /** Connections that may exist at a time, 16 to 1048576, a power of two; default 4096. */
    public NodeContext maxConnections(int count) {
        maxQueuePairs = powerOfTwo("maxConnections", count, 16, 1 << 20);
        return this;
    }

    /**
     * Connections that one peer may have to this node at a time, 1 to {@link #maxConnections}; default a quarter of
     * those, at least 16, so that no peer takes them all. A peer is identified by the name in its certificate, or by
     * its NIC if it has none. Nodes of the same process are not limited.
     */
    public NodeContext maxConnectionsPerPeer(int count) {
        maxPerPeer = range("maxConnectionsPerPeer", count, 1, 1 << 20);
        return this;
    }

    /**
     * Chunks of one inbox that may be ready or unread at a time, a power of two, 4 to 4096; default 64. Multiplied by
     * the length of a chunk, this bounds what lies unread in an inbox, whatever its memory limit is.
     */
    public NodeContext chunksPerInbox(int count) {
        nic.chunksPerAppendQueue(powerOfTwo("chunksPerInbox", count, 4, 4096));
        return this;
    }

    /** Bytes that all inboxes have ready for bursts together, up to 1 GiB. Default 0: each has its own. */
    public NodeContext sharedReserve(long bytes) {
        nic.sharedReserve(bytes);
        return this;
    }

    /** Inboxes that may exist at a time, 1 to 4096; default 256. */
    public NodeContext maxInboxes(int count) {
        nic.maxAppendQueues(range("maxInboxes", count, 1, 4096));
        return this;
    }

    /** Regions that may be registered at a time, including those of long messages: 16 to 65536; default 4096. */
    public NodeContext maxRegions(int count) {
        nic.maxMemoryRegions(powerOfTwo("maxRegions", count, 16, 1 << 16));
        return this;
    }

    /**
     * How long a waiting thread may spin before it sleeps; 0 sleeps at once. Default 200 us. Selects the default
     * strategy, and replaces one that {@link #polling} has set.
     */
    public NodeContext spin(Duration longest) {
        polling = Polling.kvm().longestSpin(longest);
        return this;
    }

    /**
     * How the node's thread waits, and those in {@link Inbox#await} and its like; {@link Polling#kvm} by default. Its
     * batch bounds the messages that a callback gets in one turn. See {@link InboxOptions#polling} for one inbox.
     */
    public NodeContext polling(PollStrategy.Factory strategies) {
        polling = strategies;
        return this;
    }

    /**
     * Payload bytes of a full packet, a power of two, 256 to 65536; the smallest of both ends' values and the link's
     * counts. Default 8192.
     */
    public NodeContext pathMtu(int bytes) {
        connecting.pathMtu = powerOfTwo("pathMtu", bytes, 256, 65536);
        return this;
    }

    /**
     * Keeps all of the node's memory in shared memory from the launch on, so that peers of {@code shm:} write straight
     * into whatever it opens. Without it, only what the node opens after its first use of a {@code shm:} address is in
     * shared memory; peers send packets to what was opened before, which costs a copy. Implied by listening on
     * {@code shm:}.
     */
    public NodeContext sharedMemory(boolean fromTheLaunch) {
        sharedMemory = fromTheLaunch;
        return this;
    }

    /**
     * The directory under which the files of shared memory lie, on a memory file system; {@code /dev/shm} by default.
     * Nodes that share memory name the same one. Set it too if another user has taken the name of this user's directory
     * there.
     */
    public NodeContext sharedMemoryRoot(Path directory) {
        sharedMemoryRoot = directory;
        return this;
    }

    /** Messages that a channel may have under way, 2 to 32768, rounded up to a power of two; default 256. */
    public NodeContext sendDepth(int messages) {
        connecting.sendDepth = range("sendDepth", messages, 2, 32768);
        return this;
    }

    /** Bytes up to which a message is carried in the request itself, 0 to 4096; default 192. */
    public NodeContext maxInline(int bytes) {
        connecting.maxInline = range("maxInline", bytes, 0, 4096);
        return this;
    }

    /** Bytes in which a channel keeps longer messages until they are acknowledged, 4 KiB to 64 MiB; default 256 KiB. */
    public NodeContext stagingLength(int bytes) {
        connecting.stagingLength = powerOfTwo("stagingLength", bytes, 4096, 64 << 20);
        return this;
    }

    /**
     * Bytes of the ring in which packets to a peer of {@code shm:} or {@code local:} lie, a power of two, 8 KiB to 64
     * MiB; default 256 KiB. A link has two rings. For {@code shm:} the connecting node's value counts, for
     * {@code local:} the smaller of both nodes'. A node with a thousand peers may want small ones. Packets are at most
     * a quarter of a ring. Messages to inboxes mostly do not use it.
     */
    public NodeContext ringLength(int bytes) {
        ringLength = powerOfTwo("ringLength", bytes, 8 << 10, 64 << 20);
        return this;
    }

    /**
     * How long an acknowledgement may take, rounded up to 4.096 us times a power of two, and how often the message is
     * sent again. Default 1.07 s, 7 times.
     */
    public NodeContext acknowledgement(Duration timeout, int retries) {
        long nanos = notNegative("acknowledgement timeout", timeout);
        int code = 1;
        while (code < 31 && AckTimeout.nanos(code) < nanos) {
            code++;
        }
        connecting.ackTimeoutCode = code;
        connecting.retryCount = range("retries", retries, 0, 7);
        return this;
    }

    /** How long a close waits until what was sent is acknowledged. Default 1 s. */
    public NodeContext linger(Duration longest) {
        connecting.lingerNanos = notNegative("linger", longest);
        return this;
    }

    /**
     * How long an idle channel, which sends nothing and has nothing under way, keeps the memory in which messages wait
     * for the peer and what its window has grown by: at least this long, and less than twice as long. The next message
     * allocates again. Default 10 s.
     *
     * @param least 1 ms or more
     */
    public NodeContext channelIdle(Duration least) {
        connecting.idleNanos = Nanos.of(atLeast("channelIdle", least, MIN_IDLE));
        return this;
    }

    /**
     * When channels share queue pairs: by default from the ninth on of a tenant to the same peer
     * ({@link MuxOptions}). It is for the channels that this node opens; the peer's end of such a channel shares too.
     * Urgent channels and those with a rate limit never do; see {@link ChannelOptions#dedicated} for others that must
     * not. {@code new MuxOptions().after(Integer.MAX_VALUE)} gives each a queue pair of its own.
     */
    public NodeContext shareConnections(MuxOptions options) {
        connecting.sharing = options.settings();
        return this;
    }

    /** How long a link may be broken before its channels are closed. Default 10 s. */
    public NodeContext peerTimeout(Duration longest) {
        connecting.peerTimeoutNanos = notNegative("peerTimeout", longest);
        return this;
    }

    /** What this node shows when it connects, at most 1024 bytes; see {@link #accessPolicy}. */
    public NodeContext accessToken(byte[] token) {
        range("accessToken length", token.length, 0, ConnectionFlyweight.MAX_TOKEN);
        accessToken = token.clone();
        return this;
    }

    /** What peers may do at this node. By default, every admitted peer may do everything. */
    public NodeContext accessPolicy(AccessPolicy policy) {
        securing.accessPolicy = policy;
        return this;
    }

    /**
     * Speaks mutual TLS 1.3 on {@code tcp:}, and nothing else: every peer shows a certificate, which identifies it. The
     * other schemes do not leave the host and stay as they are.
     *
     * @throws IllegalArgumentException if one of the files cannot be used; says which and why
     * @throws IllegalStateException if the options ask for a provider that is not there
     */
    public NodeContext tls(TlsOptions options) {
        securing.tls = new TlsCredentials(options);
        return this;
    }

    /**
     * Asks peers to prove that they know a secret, and proves it to them, on every link without TLS: {@code tcp:} if
     * there is no {@link #tls}, {@code uds:} and {@code shm:}. The secret itself is never sent, but over TCP what
     * follows is in clear text: use TLS where others can change bytes in transit.
     */
    public NodeContext secret(SharedSecret shared) {
        securing.secret = shared;
        return this;
    }

    /**
     * Numeric ids of users of this host that may connect by {@code uds:}. By default this process's own user alone, and
     * the sockets have mode 0600. Memory is shared ({@code shm:}) with one's own user alone, always.
     */
    public NodeContext allowedUsers(Integer... users) {
        securing.allowedUsers = Set.of(users);
        return this;
    }

    /**
     * Whether the node may listen beyond this machine with neither {@link #tls} nor a {@link #secret}: in clear text,
     * and for anybody who can reach it. Off by default: such an address is refused.
     */
    public NodeContext insecure(boolean wanted) {
        securing.insecure = wanted;
        return this;
    }

    /** Adds a tenant; see {@link Node#tenant}. At most 255. */
    public NodeContext tenant(TenantOptions options) {
        tenants.add(new TenantOptions(options.attributes(), options.tenantUtility()));
        return this;
    }

    /**
     * Shares the NIC's operations, and deliveries, among tenants by utility ({@link TenantOptions#utility}), with the
     * discipline CHUNKS; off by default, and then weights alone share. Rates are bounds beside the ceilings.
     */
    public NodeContext rates(RateOptions options) {
        rates = options.settings();
        return this;
    }

    /** The scheduling discipline: by default data chunks with exact shares; the others are for comparison. */
    public NodeContext arbiter(Discipline how) {
        nic.arbiter(how);
        return this;
    }

    /** The unit in which tenants' shares are charged; bytes by default. */
    public NodeContext chargedUnit(ChargedUnit unit) {
        nic.chargedUnit(unit);
        return this;
    }

    /**
     * Bytes that other messages may have unsent on a link while urgent channels use it, and half of what they may have
     * on the way to the peer; 16 KiB by default. A smaller value lets an urgent message wait less. Over a network it
     * should be at least half of what a round trip carries, or other messages are slower than the network.
     *
     * @param bytes at least 1
     */
    public NodeContext urgentWindow(int bytes) {
        nic.urgentWindow(Math.toIntExact(atLeast("urgent window", bytes, 1)));
        return this;
    }

    /**
     * Bytes a second that the node can send: the most that tenants' floors may add up to. 0, the default: no floors.
     */
    public NodeContext capacity(long bytesPerSecond) {
        nic.capacity(atLeast("capacity", bytesPerSecond, 0));
        return this;
    }

    /**
     * Makes a socket for the administrator, which only this user can open: it lists tenants and changes weights, as
     * {@code verbena top} does.
     *
     * @param socket a path of at most 80 characters where there is nothing, or the socket of a node that is gone
     */
    public NodeContext admin(Path socket) {
        admin = socket;
        return this;
    }

    /**
     * How long the callbacks of one tenant may hold up those of another; default 100 ms. A callback that takes longer
     * than half of it is logged, at most once a minute per tenant, and counted ({@link Tenant#slowCallbacks}). On a
     * node with a thread of its own, a guard thread runs the engine meanwhile, except for sockets. Where several
     * tenants have callbacks, the others' run on their own threads meanwhile, and the slow tenant's stay on its own
     * thread for ten seconds, longer each time; not on a node whose {@link Node#eventLoop} is lent. The first time,
     * messages that reach the others by sockets wait for the slow callback. 0: callbacks are not watched.
     *
     * @param longest 4 ms or more, or 0
     */
    public NodeContext callbackBound(Duration longest) {
        long nanos = notNegative("callbackBound", longest);
        if (nanos > 0 && nanos < MIN_CALLBACK_BOUND) {
            throw new IllegalArgumentException("callbackBound " + longest + " < minimum 4 ms");
        }
        callbackBoundNanos = nanos;
        return this;
    }

    /**
     * Whether the node is closed when the JVM ends in an orderly way, by SIGTERM for instance: what was sent arrives,
     * its peers know at once, and its files are removed. On by default; switch it off if the application closes the
     * node in a shutdown hook of its own. In the mode INVOKER the thread that drives the node has a second to close it,
     * by {@link Node#doWork} or {@link Node#await}.
     */
    public NodeContext closeOnShutdown(boolean wanted) {
        closeOnShutdown = wanted;
        return this;
    }

    /**
     * The source of the node's time, random numbers and threads: {@link NodeRuntime#system} unless it is simulated.
     */
    public NodeContext runtime(NodeRuntime source) {
        runtime = source;
        return this;
    }

    ConnectionSettings connections(String nodeName) {
        return connecting.settings(nodeName, maxQueuePairs);
    }

    long lingerNanos() {
        return connecting.lingerNanos;
    }

    AccessRules accessRules() {
        return new AccessRules(
                securing.accessPolicy::rights,
                maxPerPeer == 0 ? Math.max(16, maxQueuePairs / 4) : maxPerPeer,
                securing.accessPolicy.maxRegionBytes(),
                securing.accessPolicy.maxInboxBytes());
    }

    LinkSettings links() {
        return new LinkSettings(ringLength, securing.tls, securing.secret, securing.allowedUsers, securing.insecure);
    }

    /** What the NIC is opened with. */
    NicContext nic(long id, String nodeName) {
        return nic.id(id)
                .name(nodeName)
                .clock(runtime.clock())
                .random(runtime.random())
                .backgroundThread(runtime.backgroundThread())
                .mode(EngineMode.valueOf(mode.name()))
                .maxQueuePairs(maxQueuePairs)
                .polling(polling);
    }

    boolean listensOn(Address.Scheme scheme) {
        return listen.stream().anyMatch(address -> address.scheme() == scheme);
    }

    /** Concludes the context for a launch; fills in the name. */
    String conclude() {
        if (!concluded.compareAndSet(false, true)) {
            throw new IllegalStateException("this context was used for a node already; make a new one");
        }
        if (rates != null && !nic.knowsRates()) {
            throw new IllegalArgumentException("rates need the discipline CHUNKS");
        }
        String given = name;
        return given == null ? "node-" + ProcessHandle.current().pid() + "-" + UNNAMED.incrementAndGet() : given;
    }

    private static long notNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(what + " " + value + " < minimum 0");
        }
        return Nanos.of(value);
    }

    /** Who may connect to it, and how both ends prove who they are. */
    private static final class Securing {
        private @Nullable TlsCredentials tls;
        private @Nullable SharedSecret secret;
        private Set<Integer> allowedUsers = Set.of();
        private boolean insecure;
        private AccessPolicy accessPolicy = AccessPolicy.allowAll();
    }
}
