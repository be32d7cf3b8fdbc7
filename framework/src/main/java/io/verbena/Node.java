package io.verbena;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.fabric.Nanos;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a service embeds: a NIC in software with inboxes that others send to, channels to the inboxes of others, and
 * memory that is shared.
 *
 * <pre>{@code
 *   try (Node node = Node.launch(new NodeContext().name("orders").listen("tcp://127.0.0.1:0"))) {
 *       node.openInbox("echo").onMessage(m -> {
 *           if (m.channel().offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
 *               m.again();
 *           }
 *       });
 *   }
 * }</pre>
 *
 * <p>Thread-safe, but for {@link #doWork} and {@link #await}, which one thread calls in the mode INVOKER: always the same
 * one if the node has an event loop, since a loop belongs to the first thread that drives it ({@link #connect} to another
 * process is driving).
 */
public final class Node implements AutoCloseable, Executor {
    private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long DRIVER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long CLOSE_LOOK = TimeUnit.MICROSECONDS.toNanos(100);

    private final String name;
    private final NodeContext context;
    private final boolean invoker;
    private final Nic nic;
    private final Engine engine;
    private final LinkEndpoint endpoint;
    private final Tenants tenants;
    private final Notices notices;
    private final Connections connections;
    private final Links links;
    private final Dialer dialer;
    private final Turns turns;
    private final Openings openings;
    private final EventLoopWaiter waiter;
    private final Set<Long> localLinks = ConcurrentHashMap.newKeySet();
    private final List<String> addresses = new ArrayList<>();

    private final CountDownLatch end = new CountDownLatch(1);

    private volatile @Nullable AdminSocket admin;
    private volatile boolean closeAsked;
    private volatile boolean closing;
    private volatile boolean closed;

    private Node(String name, NodeContext context) {
        this.name = name;
        this.context = context;
        this.invoker = context.mode == NodeMode.INVOKER;
        long id = new SecureRandom().nextLong() | 1;
        this.waiter = new EventLoopWaiter();
        NicContext nicContext = new NicContext()
                .id(id)
                .name(name)
                .mode(EngineMode.valueOf(context.mode.name()))
                .maxQueuePairs(context.maxQueuePairs)
                .maxAppendQueues(context.maxInboxes)
                .chunksPerAppendQueue(context.chunksPerInbox)
                .maxMemoryRegions(context.maxRegions)
                .longestSpinNanos(context.spinNanos)
                .arbiter(context.discipline)
                .chargedUnit(context.chargedUnit)
                .urgentWindow(context.urgentWindow)
                .capacity(context.capacity)
                .waiters(waiter);
        NodeMemory memory = NodeMemory.choose(
                context.sharedMemoryRoot, id, context.sharedMemory || context.listensOn(Address.Scheme.SHM));
        this.nic = memory.open(nicContext);
        this.engine = nic.engine(0);
        this.endpoint = engine.endpoint();
        this.tenants = new Tenants(this, nic);
        Channels channels = new Channels(context.maxQueuePairs);
        Directory directory = new Directory(name);
        this.notices = new Notices(name, engine);
        this.connections = new Connections(this, nic, context, channels, directory, notices);
        this.links = new Links(this, engine, endpoint, waiter, memory, context);
        connections.onPeerGone(links::forget);
        connections.handshake().peers(this::peer);
        this.dialer = new Dialer(this, invoker, engine, connections, links, () -> closing);
        this.turns = new Turns(
                name,
                engine,
                connections,
                () -> closing,
                context.callbackBoundNanos,
                () -> !invoker && !waiter.runsApplication());
        this.openings = new Openings(this, invoker ? engine : null, tenants, directory, channels, turns);
        engine.agent(turns);
    }

    /**
     * Launches a node.
     *
     * @throws IllegalArgumentException if a node of that name runs in this process
     * @throws io.verbena.fabric.ListenException if an address cannot be listened on; the message says why and what to do
     * @throws IllegalStateException if the JVM lacks a flag; the message says which
     */
    public static Node launch(NodeContext context) {
        Node node = new Node(context.conclude(), context);
        try {
            context.tenants.forEach(node.tenants::add);
            NodeRegistry.add(node.name, node);
            if (context.closeOnShutdown) {
                Shutdown.add(node);
            }
            for (Address address : context.listen) {
                node.listen(address);
            }
            Path admin = context.admin;
            if (admin != null) {
                node.admin = AdminSocket.open(node, admin);
            }
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        return node;
    }

    /** The node's name. */
    public String name() {
        return name;
    }

    /** Who does the node's work. */
    public NodeMode mode() {
        return context.mode;
    }

    /** Identity of the node's NIC: random, another one each time. */
    public long nicId() {
        return nic.id();
    }

    /** The addresses that it listens on, as bound, in the order in which they were given. */
    public List<String> addresses() {
        synchronized (addresses) {
            return List.copyOf(addresses);
        }
    }

    /**
     * Listens on another address.
     *
     * @param address as for {@link NodeContext#listen}
     * @return the address as bound, to connect to once {@code /name} is appended
     * @throws io.verbena.fabric.ListenException if it cannot be had; the message says why and what to do
     */
    public String listen(String address) {
        return listen(Address.parseListen(address));
    }

    private String listen(Address address) {
        checkOpen();
        String bound = address.scheme() == Address.Scheme.LOCAL
                ? listenLocal(address)
                : links.listen(address).toString();
        synchronized (addresses) {
            addresses.add(bound);
        }
        return bound;
    }

    private String listenLocal(Address address) {
        if (!address.target().equals(name)) {
            throw new IllegalArgumentException(
                    address + " names another node; node '" + name + "' can be reached as local:" + name);
        }
        return address.toString();
    }

    // ---- tenants ----------------------------------------------------------------------------------------------------

    /**
     * One of those who share the node, to hand out to it.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public Tenant tenant(String tenantName) {
        return tenants.get(tenantName);
    }

    /** Those who share the node, to administer. */
    public Tenants tenants() {
        return tenants;
    }

    // ---- inboxes ----------------------------------------------------------------------------------------------------

    /** Opens an inbox with the default options. */
    public Inbox openInbox(String inboxName) {
        return openInbox(inboxName, new InboxOptions());
    }

    /**
     * Opens an inbox that peers can connect to by its name.
     *
     * @param inboxName 1 to 255 characters without {@code /}
     * @throws IllegalArgumentException if the name is taken, or an option is out of range
     * @throws io.verbena.nic.port.MemoryExhaustedException if the memory for its chunks cannot be had
     */
    public Inbox openInbox(String inboxName, InboxOptions options) {
        return openInbox(tenants.defaultTenant(), inboxName, options);
    }

    Inbox openInbox(Tenant opener, String inboxName, InboxOptions options) {
        checkOpen();
        return openings.inbox(opener, inboxName, options);
    }

    /** Opens a {@link Responder} on an inbox of that name, with the default options. */
    public Responder openResponder(String responderName) {
        return openResponder(responderName, new InboxOptions());
    }

    /**
     * Opens a {@link Responder} that peers can call by its name.
     *
     * @param responderName as for {@link #openInbox}
     * @param options of the inbox that the requests come to
     */
    public Responder openResponder(String responderName, InboxOptions options) {
        return openResponder(tenants.defaultTenant(), responderName, options);
    }

    Responder openResponder(Tenant opener, String responderName, InboxOptions options) {
        checkOpen();
        return new Responder(openings.requests(opener, responderName, options));
    }

    /** Opens a {@link Requester} with the default options. */
    public Requester openRequester() {
        return openRequester(new RequesterOptions());
    }

    /**
     * Opens a {@link Requester}, which calls the responders of peers.
     *
     * @throws io.verbena.nic.port.MemoryExhaustedException if the memory for its responses cannot be had
     */
    public Requester openRequester(RequesterOptions options) {
        return openRequester(tenants.defaultTenant(), options);
    }

    Requester openRequester(Tenant opener, RequesterOptions options) {
        checkOpen();
        return new Requester(this, openings.responses(opener, options.responses), options);
    }

    /** An inbox was closed. */
    void forget(Inbox inbox, AppendQueue queue) {
        openings.forget(inbox, queue);
    }

    /**
     * Shares memory under a name.
     *
     * @param regionName 1 to 255 characters without {@code /}
     * @param bytes at least 1
     * @throws IllegalArgumentException if the name is taken
     * @throws io.verbena.nic.port.MemoryExhaustedException if the memory cannot be had
     */
    public SharedRegion share(String regionName, int bytes) {
        return share(tenants.defaultTenant(), regionName, bytes);
    }

    SharedRegion share(Tenant tenant, String regionName, int bytes) {
        checkOpen();
        return openings.region(tenant, regionName, bytes);
    }

    /** Who a NIC belongs to, as far as that was proven. */
    private PeerIdentity peer(long nicId) {
        PeerIdentity known = links.peer(nicId);
        return known != null ? known : localLinks.contains(nicId) ? PeerIdentity.SAME_PROCESS : PeerIdentity.ANONYMOUS;
    }

    /** A region was taken back. */
    void forget(SharedRegion region, List<MemoryRegion> memory) {
        openings.forget(region, memory, closed);
    }

    // ---- connecting -------------------------------------------------------------------------------------------------

    /**
     * Connects to an inbox; the peer cannot send back.
     *
     * @param address of the inbox, see {@link Address}
     * @param timeout most time that it may take
     * @throws ConnectionException if it cannot be had: unknown node or name, refused, no answer in time
     * @throws IllegalArgumentException if the address is malformed
     */
    public Channel connect(String address, Duration timeout) {
        return connect(address, null, timeout);
    }

    /**
     * Connects to an inbox.
     *
     * @param address of the inbox, see {@link Address}
     * @param answersTo an inbox of this node that the peer's channel back leads to, or null if there is none; the channel is
     *     the inbox's tenant's
     * @param timeout most time that it may take
     * @throws ConnectionException if it cannot be had: unknown node or name, refused, no answer in time
     * @throws IllegalArgumentException if the address is malformed
     */
    public Channel connect(String address, @Nullable Inbox answersTo, Duration timeout) {
        Tenant tenant = answersTo == null ? tenants.defaultTenant() : answersTo.tenant();
        return connect(tenant, address, answersTo, new ChannelOptions(), timeout);
    }

    Channel connect(
            Tenant tenant, String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        checkOpen();
        tenant.checkOwns(answersTo);
        Channel channel = channelOf(
                dialer.open(Address.parse(address), ConnectionFlyweight.INBOX, tenant, answersTo, options, timeout));
        watch(channel, tenant, address, answersTo, options, timeout);
        return channel;
    }

    /**
     * As {@link #connect(String, Inbox, Duration)}, but does not wait: also for callbacks of this node. In the mode INVOKER
     * somebody has to do the node's work meanwhile.
     *
     * @return the channel, or a {@link ConnectionException} that says why there is none; what depends on it is run by a thread
     *     that is not the node's
     * @throws IllegalArgumentException if the address is malformed
     */
    public CompletableFuture<Channel> connectAsync(String address, @Nullable Inbox answersTo, Duration timeout) {
        Tenant tenant = answersTo == null ? tenants.defaultTenant() : answersTo.tenant();
        return connectAsync(tenant, address, answersTo, new ChannelOptions(), timeout);
    }

    CompletableFuture<Channel> connectAsync(
            Tenant tenant, String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        return openAsync(tenant, address, answersTo, options, timeout).thenApply(channel -> {
            watch(channel, tenant, address, answersTo, options, timeout);
            return channel;
        });
    }

    /** Has a channel replaced when it is lost, if its options say so. */
    private void watch(
            Channel channel,
            Tenant tenant,
            String address,
            @Nullable Inbox answersTo,
            ChannelOptions options,
            Duration timeout) {
        ReconnectListener listener = options.reconnectListener();
        if (listener != null) {
            ChannelOptions kept = new ChannelOptions(options);
            new Reconnector(this, notices, tenant, address, answersTo, kept, listener, timeout).watch(channel);
        }
    }

    CompletableFuture<Channel> openAsync(
            Tenant tenant, String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        checkOpen();
        tenant.checkOwns(answersTo);
        return dialer.openAsync(Address.parse(address), ConnectionFlyweight.INBOX, tenant, answersTo, options, timeout)
                .thenApply(Node::channelOf);
    }

    private static Channel channelOf(Connection connection) {
        Channel channel = connection.channel;
        if (channel == null) {
            throw new IllegalStateException("connection " + connection.number + " carries no messages");
        }
        return channel;
    }

    /**
     * Attaches to memory that a peer shares.
     *
     * @param address of the region, see {@link Address}
     * @param timeout most time that it may take
     * @throws ConnectionException if it cannot be had: unknown node or name, refused, no answer in time
     * @throws IllegalArgumentException if the address is malformed
     */
    public RemoteRegion attach(String address, Duration timeout) {
        return attach(tenants.defaultTenant(), address, timeout);
    }

    RemoteRegion attach(Tenant tenant, String address, Duration timeout) {
        checkOpen();
        Connection connection = dialer.open(
                Address.parse(address), ConnectionFlyweight.REGION, tenant, null, new ChannelOptions(), timeout);
        RemoteRegion region = connection.region;
        if (region == null) {
            throw new IllegalStateException("connection " + connection.number + " reaches no memory");
        }
        if (invoker) {
            engine.addParkCheck(region.parkCheck());
        }
        return region;
    }

    /**
     * Connections that were turned away since the launch, for a token that does not permit them or for what they are, or ended for
     * what they sent; the log says why. Any thread.
     */
    public long rejectedConnections() {
        return nic.counter(NicCounter.LINKS_REJECTED);
    }

    /** Adds someone who is told of the node's channels. */
    public void addListener(ChannelListener listener) {
        notices.addListener(listener);
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /**
     * Runs something on the thread that does the node's work, soon and in the order in which it was given: its own, or in the mode
     * INVOKER the one that calls {@link #doWork}. It runs as callbacks do, so it may send, must not block, and an exception of its
     * is logged. What was given before {@link #close} still runs. Any thread, callbacks included.
     *
     * @throws RejectedExecutionException if the node is closed
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (closing) {
            throw new RejectedExecutionException(this + " is closed");
        }
        turns.run(task);
    }

    /**
     * Does a bounded amount of the node's work, in the mode INVOKER: moves bytes, manages connections, runs the event loop,
     * calls back. In the other modes the node's thread does that, and this does nothing. Neither does it within a callback of
     * this node (a handler of a message, a response or an operation, a listener, or a handler of a channel on {@link
     * #eventLoop}): nothing of a node is entered twice.
     *
     * @return the amount of work done, 0 if there was none
     */
    public int doWork() {
        if (!invoker || closed || engine.isInCallback()) {
            return 0;
        }
        int work = engine.doWork() + turns.doWork();
        closeIfAsked();
        return work;
    }

    /**
     * Sleeps until there is work, {@link #wake} is called, or the time is over, in the mode INVOKER. One wait covers
     * messages from everywhere, sockets, timers and other channels of {@link #eventLoop}, whose handlers it runs.
     *
     * @param longest most time to sleep
     * @throws IllegalStateException within a callback of this node, or in another mode
     */
    public void await(Duration longest) {
        refuseInCallback("await");
        if (closed) {
            return;
        }
        if (!invoker) {
            throw new IllegalStateException(
                    "node '" + name + "' has a thread of its own in mode " + mode() + "; wait with Inbox.await");
        }
        engine.await(Nanos.of(longest));
        closeIfAsked();
    }

    boolean awaitMessage(long nanos, BooleanSupplier hasMessage) {
        refuseInCallback("await");
        if (hasMessage.getAsBoolean() || closed) {
            return hasMessage.getAsBoolean();
        }
        if (!invoker) {
            return engine.awaitAsGuest(nanos, hasMessage);
        }
        engine.await(nanos);
        return hasMessage.getAsBoolean();
    }

    /** For a thread that waits: does the node's work in the mode INVOKER, and sleeps if there is none. */
    void workOrWait(long nanos, BooleanSupplier condition) {
        if (!invoker) {
            engine.awaitAsGuest(nanos, condition);
        } else if (doWork() == 0) {
            engine.await(nanos);
        }
    }

    /**
     * What would wait for the node's work, or do it, must not be called by code that this work has called.
     *
     * @throws IllegalStateException within a callback of this node
     */
    void refuseInCallback(String what) {
        if (isInCallback()) {
            throw new IllegalStateException(
                    what + " waits for the work of " + this + " and cannot be called from its own callbacks");
        }
    }

    /** Whether the caller is within a callback of this node. */
    boolean isInCallback() {
        return engine.isInCallback() || turns.isCurrentThread() || CallbackThread.isCurrent(this);
    }

    /**
     * The application is about to be called by the thread that does the node's work.
     *
     * @return whether {@link #leaveCallback} must follow
     */
    boolean enterCallback() {
        return engine.enterCallback();
    }

    void leaveCallback() {
        engine.leaveCallback();
    }

    /** Wakes whoever sleeps in {@link #await} or {@link Inbox#await}. Any thread. */
    public void wake() {
        engine.wake();
    }

    /**
     * The event loop in which the node sleeps, so that other Netty channels can live on it and one wait serves everything. From
     * now on only {@link #doWork} and {@link #await} run it (or the node's thread), never an {@code offer} or another call in
     * the middle of something: a handler that spins on {@link SendResult#BACK_PRESSURED} may spin for ever, and has to come
     * back later instead.
     *
     * @throws IllegalStateException if the node is closed
     */
    public ManualIoEventLoop eventLoop() {
        return waiter.lend();
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    private void checkOpen() {
        if (closing) {
            throw new IllegalStateException("node '" + name + "' is closed");
        }
    }

    boolean isClosing() {
        return closing;
    }

    Set<Long> localLinks() {
        return localLinks;
    }

    int ringLength() {
        return context.ringLength;
    }

    LinkEndpoint endpoint() {
        return endpoint;
    }

    Turns turns() {
        return turns;
    }

    /** Its ends of connections. */
    Connections connections() {
        return connections;
    }

    Handshake handshake() {
        return connections.handshake();
    }

    /**
     * Closes the node: what was sent or enqueued still reaches its peers, within the linger time, and they are told. Takes at
     * most the linger time and a few seconds for its threads. Idempotent.
     *
     * <p>Within a callback of this node it only asks for that, and returns: a thread of its own closes the node, or in the mode
     * INVOKER the next {@link #doWork} or {@link #await}.
     */
    @Override
    public void close() {
        if (isInCallback()) {
            closeLater();
        } else {
            closeNow();
        }
    }

    private void closeLater() {
        if (closeAsked) {
            return;
        }
        closeAsked = true;
        if (!invoker) {
            new Thread(this::closeNow, "verbena-close-" + name).start();
        }
    }

    private void closeIfAsked() {
        if (closeAsked && !closing) {
            closeNow();
        }
    }

    private void closeNow() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        try {
            end();
        } finally {
            Shutdown.remove(this);
            end.countDown();
        }
    }

    private void end() {
        AdminSocket socket = admin;
        if (socket != null) {
            socket.close();
        }
        NodeRegistry.remove(name, this);
        connections.closeAll();
        long now = System.nanoTime();
        long drained = now + context.lingerNanos;
        work(drained, connections::isDrained);
        work(System.nanoTime() + GOODBYE_NANOS, connections::isQuiet);
        closed = true;
        turns.end();
        connections.shutDown();
        links.close();
        if (invoker) {
            engine.doWork();
        }
        nic.close();
    }

    /** The JVM ends: closes the node, or waits for whoever closes it. */
    void shutDown() {
        if (invoker) {
            closeAsked = true;
            engine.wake();
            awaitEnd(DRIVER_NANOS);
        }
        closeNow();
        awaitEnd(context.lingerNanos + END_NANOS);
    }

    private void awaitEnd(long nanos) {
        try {
            end.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Does the node's work, or lets it be done, until a condition holds or it is time. */
    private void work(long until, BooleanSupplier done) {
        while (!done.getAsBoolean() && System.nanoTime() - until < 0) {
            int work = 0;
            if (invoker) {
                work = engine.doWork() + connections.doWork(System.nanoTime());
            } else {
                engine.wake();
            }
            if (work == 0) {
                LockSupport.parkNanos(this, CLOSE_LOOK);
            }
        }
    }

    @Override
    public String toString() {
        return "node '" + name + "'";
    }
}
