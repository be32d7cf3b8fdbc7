package io.verbena;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.connection.Connections;
import io.verbena.connection.Dialer;
import io.verbena.connection.LocalNode;
import io.verbena.connection.NodeRegistry;
import io.verbena.connection.Notices;
import io.verbena.dispatch.NodeDriver;
import io.verbena.dispatch.Turns;
import io.verbena.fabric.Nanos;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.link.Links;
import io.verbena.link.NodeMemory;
import io.verbena.nic.Nic;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.verbs.NicCounter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * What a service embeds: a NIC in software with inboxes, channels to the inboxes of others, and shared memory.
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
 * <p>Thread-safe, except for {@link #doWork} and {@link #await}, which one thread calls in the mode INVOKER. If the
 * node has an event loop this is always the same thread, since a loop belongs to the first thread that drives it
 * ({@link #connect} to another process drives it).
 */
public final class Node implements AutoCloseable, Executor {
    private final String name;
    private final NodeMode mode;
    private final boolean invoker;
    private final Nic nic;
    private final Engine engine;
    private final Notices notices;
    private final ChannelListeners listeners;
    private final Channels channels;
    private final Connections connections;
    private final NodeRuntime runtime;
    private final Turns turns;
    private final NodeDriver driver;
    private final Tenants tenants;
    private final Links links;
    private final LocalNode self;
    private final Connector connector;
    private final Openings openings;
    private final EventLoopWaiter waiter;
    private final NodeEnding ending;
    private final Entrances entrances;

    private Node(String name, NodeContext context) {
        this.name = name;
        this.mode = context.mode;
        this.invoker = mode == NodeMode.INVOKER;
        this.runtime = context.runtime;
        this.ending = new NodeEnding(this, invoker, context.lingerNanos(), runtime);
        long id = runtime.random().getAsLong() | 1;
        this.waiter = new EventLoopWaiter();
        NodeMemory memory = NodeMemory.choose(
                context.sharedMemoryRoot, id, context.sharedMemory || context.listensOn(Address.Scheme.SHM));
        this.nic = memory.open(context.nic(id, name).waiters(waiter));
        this.engine = nic.engine(0);
        this.notices = new Notices(name, engine);
        this.listeners = new ChannelListeners(notices);
        this.channels = new Channels(context.maxQueuePairs);
        Directory directory = new Directory(name);
        this.connections = new Connections(
                nic,
                runtime,
                context.connections(name),
                directory,
                context.accessRules(),
                context.accessToken,
                notices);
        this.turns = new Turns(
                name,
                engine,
                runtime.clock(),
                connections,
                ending::isClosing,
                context.callbackBoundNanos,
                () -> !invoker && !waiter.runsApplication(),
                context.polling.batch());
        String text = "node '" + name + "'";
        this.driver = new NodeDriver(
                text,
                invoker,
                engine,
                turns,
                runtime.backgroundThread() ? () -> 0 : nic::backgroundWork,
                ending::closeIfAsked);
        this.tenants = new Tenants(this, nic, context.rates);
        this.links = new Links(text, runtime.clock(), engine.endpoint(), waiter, memory, context.links());
        connections.onPeerGone(links::forget);
        this.self = new LocalNode(name, engine.endpoint(), context.ringLength, connections.handshake(), engine::wake);
        connections.handshake().peers(nicId -> self.peer(nicId, links));
        connections.handshake().linked(links::isUp);
        Engine sleeper = invoker ? engine : null;
        this.connector = new Connector(
                this,
                sleeper,
                new Dialer(self, invoker, engine, connections, links, ending::isClosing, runtime.executor()));
        this.entrances = new Entrances(this, self, links);
        this.openings = new Openings(this, sleeper, tenants, directory);
        engine.agent(turns);
    }

    /**
     * Launches a node.
     *
     * @throws IllegalArgumentException if a node of that name runs in this process
     * @throws io.verbena.fabric.ListenException if an address cannot be listened on; the message says why and what to
     *     do
     * @throws IllegalStateException if the JVM lacks a flag; the message says which
     */
    public static Node launch(NodeContext context) {
        Node node = new Node(context.conclude(), context);
        try {
            context.tenants.forEach(node.tenants::add);
            NodeRegistry.add(node.self);
            if (context.closeOnShutdown) {
                Shutdown.add(node);
            }
            for (Address address : context.listen) {
                node.entrances.listen(address);
            }
            Path admin = context.admin;
            if (admin != null) {
                node.entrances.openAdmin(admin);
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
        return mode;
    }

    /** Identity of the node's NIC: random, and different at each launch. */
    public long nicId() {
        return nic.id();
    }

    /** The addresses that it listens on, as bound, in the order in which they were given. */
    public List<String> addresses() {
        return entrances.addresses();
    }

    /**
     * Listens on another address.
     *
     * @param address as for {@link NodeContext#listen}
     * @return the address as bound, to connect to once {@code /name} is appended
     * @throws io.verbena.fabric.ListenException if it cannot be listened on; the message says why and what to do
     */
    public String listen(String address) {
        return entrances.listen(Address.parseListen(address));
    }

    // ---- tenants ----------------------------------------------------------------------------------------------------

    /**
     * A tenant of the node, to hand out.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public Tenant tenant(String tenantName) {
        return tenants.get(tenantName);
    }

    /** The tenants of the node, to administer. */
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
     * @throws io.verbena.nic.port.MemoryExhaustedException if there is no memory for its chunks
     */
    public Inbox openInbox(String inboxName, InboxOptions options) {
        return openings.inbox(tenants.defaultTenant(), inboxName, options);
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
        return openings.responder(tenants.defaultTenant(), responderName, options);
    }

    /** Opens a {@link Requester} with the default options. */
    public Requester openRequester() {
        return openRequester(new RequesterOptions());
    }

    /**
     * Opens a {@link Requester}, which calls the responders of peers.
     *
     * @throws io.verbena.nic.port.MemoryExhaustedException if there is no memory for its responses
     */
    public Requester openRequester(RequesterOptions options) {
        return openings.requester(tenants.defaultTenant(), options);
    }

    /**
     * Shares memory under a name.
     *
     * @param regionName 1 to 255 characters without {@code /}
     * @param bytes at least 1
     * @param rights that a peer gets at most, whatever the {@link AccessPolicy} says; all if none is named
     * @throws IllegalArgumentException if the name is taken
     * @throws io.verbena.nic.port.MemoryExhaustedException if there is not enough memory
     */
    public SharedRegion share(String regionName, int bytes, Right... rights) {
        return openings.region(tenants.defaultTenant(), regionName, bytes, rights);
    }

    // ---- connecting -------------------------------------------------------------------------------------------------

    /** Connects to an inbox, as {@link #connect(String, Inbox, Duration)}; the peer cannot send back. */
    public Channel connect(String address, Duration timeout) {
        return connect(address, null, timeout);
    }

    /**
     * Connects to an inbox.
     *
     * @param address of the inbox, see {@link Address}
     * @param answersTo an inbox of this node that the peer's channel back leads to, or null if there is none; the
     *     channel belongs to the inbox's tenant
     * @param timeout how long it may take
     * @throws ConnectionException if there is no connection: unknown node or name, refused, no answer in time
     * @throws IllegalArgumentException if the address is malformed
     */
    public Channel connect(String address, @Nullable Inbox answersTo, Duration timeout) {
        Tenant tenant = answersTo == null ? tenants.defaultTenant() : answersTo.tenant();
        return connector.connect(tenant, address, answersTo, new ChannelOptions(), timeout);
    }

    /**
     * As {@link #connect(String, Inbox, Duration)}, but does not wait, so callbacks of this node may call it. In the
     * mode INVOKER the node's work must be done meanwhile.
     *
     * @return the channel, or a {@link ConnectionException} that says why there is none; dependent stages run on one of
     *     a few threads that connect all nodes of the process, so give those that wait for long an executor
     * @throws IllegalArgumentException if the address is malformed
     */
    public CompletableFuture<Channel> connectAsync(String address, @Nullable Inbox answersTo, Duration timeout) {
        Tenant tenant = answersTo == null ? tenants.defaultTenant() : answersTo.tenant();
        return connector.connectAsync(tenant, address, answersTo, new ChannelOptions(), timeout);
    }

    /**
     * Attaches to memory that a peer shares.
     *
     * @param address of the region, see {@link Address}
     * @param timeout how long it may take
     * @throws ConnectionException if there is no connection: unknown node or name, refused, no answer in time
     * @throws IllegalArgumentException if the address is malformed
     */
    public RemoteRegion attach(String address, Duration timeout) {
        return attach(address, new RegionOptions(), timeout);
    }

    /**
     * As {@link #attach(String, Duration)}, with options: for several threads, merging, a bound on what is under way.
     *
     * @throws IllegalArgumentException if the address is malformed, or options are set without {@code merge}
     */
    public RemoteRegion attach(String address, RegionOptions options, Duration timeout) {
        return connector.attach(tenants.defaultTenant(), address, options, timeout);
    }

    /** As {@link Tenant#remote}, at the default tenant's expense. */
    public RemoteSession remote(RemoteOptions options, Duration timeout) {
        return RemoteSession.open(tenants.defaultTenant(), options, timeout);
    }

    /** Connections that were refused since the launch, or ended for what they sent; the log says why. Any thread. */
    public long rejectedConnections() {
        return nic.counter(NicCounter.LINKS_REJECTED);
    }

    /** How often the machine had no memory for what was wanted; the log says what helps. Any thread. */
    public long memoryExhaustions() {
        return nic.counter(NicCounter.MEMORY_EXHAUSTED);
    }

    /** What waiting has cost since the launch, but for inboxes with a choice of their own. Any thread. */
    public WaitStatistics waitStatistics(PollStrategy.Waiting who) {
        return nic.waitStatistics(who);
    }

    /** Adds a listener to the node's channels. */
    public void addListener(ChannelListener listener) {
        listeners.add(listener);
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /**
     * Runs a task soon on the thread that does the node's work: its own, or in the mode INVOKER the one that calls
     * {@link #doWork}. Tasks run in the order in which they were given, like callbacks: they may send and must not
     * block, and their exceptions are logged. Tasks that were given before {@link #close} still run. Any thread,
     * callbacks included.
     *
     * @throws RejectedExecutionException if the node is closed
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (ending.isClosing()) {
            throw new RejectedExecutionException(this + " is closed");
        }
        turns.run(task);
    }

    /**
     * Does a bounded amount of the node's work in the mode INVOKER: moves bytes, manages connections, runs the event
     * loop, calls back. Does nothing in the other modes, where the node's thread does the work, nor within a callback
     * of this node (a handler of a message, a response or an operation, a listener, or a handler of a channel on
     * {@link #eventLoop}): nothing of a node is entered twice.
     *
     * @return the amount of work done, 0 if there was none
     */
    public int doWork() {
        return driver.doWork();
    }

    /**
     * In the mode INVOKER, sleeps until there is work, {@link #wake} is called, or the time is over. One wait covers
     * messages from everywhere, sockets, timers and other channels of {@link #eventLoop}, whose handlers it runs.
     *
     * @param longest most time to sleep
     * @throws IllegalStateException within a callback of this node, or in another mode
     */
    public void await(Duration longest) {
        driver.await(Nanos.of(longest));
    }

    /** Wakes the threads that sleep in {@link #await} or {@link Inbox#await}. Any thread. */
    public void wake() {
        engine.wake();
    }

    /**
     * The event loop in which the node sleeps, so that other Netty channels can live on it and one wait serves
     * everything. From now on only {@link #doWork} and {@link #await} run it (or the node's thread), never an
     * {@code offer} or another call, so a handler that spins on {@link SendResult#BACK_PRESSURED} may spin forever: it
     * has to come back later instead.
     *
     * @throws IllegalStateException if the node is closed
     */
    public ManualIoEventLoop eventLoop() {
        return waiter.lend();
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** Throws if the node is closed. */
    void checkOpen() {
        if (ending.isClosing()) {
            throw new IllegalStateException("node '" + name + "' is closed");
        }
    }

    boolean isClosing() {
        return ending.isClosing();
    }

    /** The JVM ends. */
    void shutDown() {
        ending.shutDown();
    }

    void closeAdmin() {
        entrances.closeAdmin();
    }

    /** Closes links and NIC, once nothing is connected any more. */
    void closeLinks() {
        links.close();
        if (invoker) {
            engine.doWork();
        }
        nic.close();
    }

    /**
     * Closes the node. What was sent or enqueued still reaches its peers, within the linger time, and they are told
     * that it closes; the log says what may not have arrived. A message that another thread sends meanwhile is either
     * among that or refused with {@link SendResult#CLOSED}. Takes at most the linger time and a few seconds for its
     * threads. Idempotent.
     *
     * <p>Within a callback of this node it only requests this and returns: a separate thread closes the node, or in the
     * mode INVOKER the next {@link #doWork} or {@link #await}.
     */
    @Override
    public void close() {
        ending.close();
    }

    // ---- what it is made of -----------------------------------------------------------------------------------------

    /** The clock of everything that the node does periodically. */
    NanoClock clock() {
        return runtime.clock();
    }

    Engine engine() {
        return engine;
    }

    Turns turns() {
        return turns;
    }

    NodeDriver driver() {
        return driver;
    }

    Notices notices() {
        return notices;
    }

    ChannelListeners listeners() {
        return listeners;
    }

    Channels channels() {
        return channels;
    }

    Connections connections() {
        return connections;
    }

    Connector connector() {
        return connector;
    }

    Openings openings() {
        return openings;
    }

    /** How the other nodes of its process reach it. */
    LocalNode self() {
        return self;
    }

    @Override
    public String toString() {
        return "node '" + name + "'";
    }
}
