package io.verbena.redis;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.Store;
import io.verbena.redis.command.Command;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running proxy: workers, the socket they are reached by, and what they share. Any thread may call its public
 * methods.
 */
public final class ProxyServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyServer.class);
    private static final long BIND_SECONDS = 10;
    private static final long DRAIN_SECONDS = 5;

    private final Settings settings;
    private final Store store;
    private final List<Worker> workers = new ArrayList<>();
    private final ConcurrentMap<Long, ClientConnection> connections = new ConcurrentHashMap<>();
    private final AtomicIntegerArray workersOfTenants;
    private final AtomicLong refused = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final long startMillis = System.currentTimeMillis();
    private final String runId = UUID.randomUUID().toString().replace("-", "") + "00000000";
    private @Nullable Channel channel;
    private volatile @Nullable Throwable failure;

    private ProxyServer(ProxyContext context, Store store) {
        this.settings = new Settings(context);
        this.store = store;
        this.workersOfTenants = new AtomicIntegerArray(context.tenants().size());
    }

    /**
     * Starts a proxy.
     *
     * @param context settings
     * @param store shards; closed with the proxy
     * @return running proxy, reachable
     * @throws ProxyListenException if the port cannot be listened on
     */
    public static ProxyServer launch(ProxyContext context, Store store) {
        ProxyServer server = new ProxyServer(context.conclude(), store);
        try {
            server.start();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void start() {
        ProxyContext context = settings.context();
        for (int i = 0; i < context.workers(); i++) {
            Worker worker = new Worker(i, this, store);
            workers.add(worker);
            worker.start(); // at once: if the next one cannot be made, this one's thread gives back what it holds
        }
        Worker first = workers.get(0);
        Acceptor acceptor = new Acceptor(this, workers);
        ServerChannel listener = first.loop().isIoType(EpollIoHandler.class)
                ? new EpollServerSocketChannel()
                : new NioServerSocketChannel();
        listener.config().setOption(ChannelOption.SO_REUSEADDR, true);
        listener.config().setOption(ChannelOption.SO_BACKLOG, context.backlog());
        listener.pipeline().addLast(acceptor);
        InetSocketAddress address = new InetSocketAddress(context.bind(), context.port());
        if (address.isUnresolved()) {
            throw new ProxyListenException(
                    "cannot listen: the address " + context.bind() + " is unknown; give another with --bind", null);
        }
        EventLoopGroup loop = first.loop();
        await(loop.register(listener), address);
        await(listener.bind(address), address);
        channel = listener;
        LOG.debug("listening on {}", listener.localAddress());
    }

    private static void await(ChannelFuture future, InetSocketAddress address) {
        if (!future.awaitUninterruptibly(BIND_SECONDS, TimeUnit.SECONDS)) {
            throw new ProxyListenException(
                    "cannot listen on " + address + ": no answer in " + BIND_SECONDS + " s", null);
        }
        Throwable cause = future.cause();
        if (cause != null) {
            throw new ProxyListenException(
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + " (" + cause.getMessage()
                            + "): choose another port with --port, or stop what uses this one",
                    cause);
        }
    }

    /**
     * Port that the proxy listens on.
     *
     * @return the real one, also if any was asked for
     */
    public int port() {
        Channel listener = channel;
        return listener != null && listener.localAddress() instanceof InetSocketAddress address
                ? address.getPort()
                : settings.context().port();
    }

    /**
     * Settings of this proxy.
     *
     * @return settings
     */
    public Settings settings() {
        return settings;
    }

    /**
     * Sum of a counter over the workers.
     *
     * @param counter which
     * @return sum
     */
    public long total(Counter counter) {
        long sum = counter == Counter.REJECTED_CONNECTIONS ? refused.get() : 0;
        for (Worker worker : workers) {
            sum += worker.statistics().get(counter);
        }
        return sum;
    }

    /**
     * Connections closed for a reason, over the workers.
     *
     * @param reason which
     * @return number
     */
    public long total(ClientCloseReason reason) {
        long sum = reason == ClientCloseReason.MAX_CLIENTS ? refused.get() : 0;
        for (Worker worker : workers) {
            sum += worker.statistics().get(reason);
        }
        return sum;
    }

    /** Clients of a tenant. */
    long clients(ProxyTenant tenant) {
        return connections.values().stream()
                .filter(each -> each.session().user().equals(tenant.name()))
                .count();
    }

    /** On how many workers each tenant has something to execute; kept by the workers. */
    AtomicIntegerArray workersOfTenants() {
        return workersOfTenants;
    }

    /** Commands a second that a tenant is entitled to; 0 if it has nothing to execute. */
    long rate(int tenant) {
        return workers.stream()
                .mapToLong(worker -> worker.tenants().rate(tenant))
                .sum();
    }

    /** Commands that clients of a tenant have had executed. */
    long commands(int tenant) {
        return workers.stream()
                .mapToLong(worker -> worker.tenants().commands(tenant))
                .sum();
    }

    /** Turns in which clients of a tenant had to wait for the next one. */
    long turnsWaited(int tenant) {
        return workers.stream()
                .mapToLong(worker -> worker.tenants().turnsWaited(tenant))
                .sum();
    }

    long calls(Command command) {
        return workers.stream()
                .mapToLong(worker -> worker.statistics().calls(command))
                .sum();
    }

    long rejectedCalls(Command command) {
        return workers.stream()
                .mapToLong(worker -> worker.statistics().rejectedCalls(command))
                .sum();
    }

    long failedCalls(Command command) {
        return workers.stream()
                .mapToLong(worker -> worker.statistics().failedCalls(command))
                .sum();
    }

    long commandsPerSecond() {
        return Math.round(
                workers.stream().mapToDouble(Worker::commandsPerSecond).sum());
    }

    void clearStatistics() {
        refused.set(0);
        workers.forEach(worker -> worker.statistics().clear());
    }

    Store store() {
        return store;
    }

    String transport() {
        return workers.get(0).loop().isIoType(EpollIoHandler.class) ? "epoll" : "nio";
    }

    String runId() {
        return runId;
    }

    long startMillis() {
        return startMillis;
    }

    /** Clients connected now, of all workers, without those that are being killed. */
    Collection<ClientConnection> connections() {
        return Collections.unmodifiableCollection(connections.values());
    }

    void opened(ClientConnection connection) {
        connections.put(connection.session().id(), connection);
    }

    /**
     * Takes a client that is to be killed from those connected, so that nobody lists or kills it again.
     *
     * @return false if it is closed, or another has withdrawn it
     */
    boolean withdraw(ClientConnection connection) {
        return connections.remove(connection.session().id()) != null;
    }

    void closed(ClientConnection connection) {
        connections.remove(connection.session().id());
        settings.leave();
    }

    void refused() {
        refused.incrementAndGet();
    }

    /** A worker cannot go on: the proxy ends rather than to serve some of its clients. */
    void failed(Throwable cause) {
        failure = cause;
        ended.countDown();
    }

    /**
     * Waits until the proxy is closed or a worker has failed.
     *
     * @return null if it was closed, otherwise the failure
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public @Nullable Throwable awaitEnd() throws InterruptedException {
        ended.await();
        return failure;
    }

    /**
     * Listens no more, gives the clients the replies they are owed, and ends; takes at most some seconds. Idempotent.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        Channel listener = channel;
        if (listener != null) {
            listener.close().awaitUninterruptibly(BIND_SECONDS, TimeUnit.SECONDS);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
        workers.forEach(worker -> worker.stop(deadline));
        boolean interrupted = false;
        for (Worker worker : workers) {
            try {
                if (!worker.join(TimeUnit.SECONDS.toMillis(2 * DRAIN_SECONDS))) {
                    LOG.error("a worker did not end in {} s", 2 * DRAIN_SECONDS);
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        store.close();
        ended.countDown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
