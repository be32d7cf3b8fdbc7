package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.nic.port.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Sleeps in a Netty event loop, so that one wait covers sockets, timers and doorbells.
 *
 * <p>There is no loop, and nothing of Netty is loaded, until somebody asks for it: until then this sleeps by parking
 * the thread, and any thread may be the owner.
 *
 * <p>The loop belongs forever to one thread: the first that calls {@link #own}, {@link #poll} or {@link #await} once
 * there is one. Other channels may live on it too, see {@link #lend}; {@link #track} those that a close by another
 * thread must release. It is never entered twice: a handler that polls runs nothing, and one that waits is refused.
 *
 * <p>An engine that spins calls {@link #poll} far more often than anything can happen on a socket, and each look costs
 * a system call. So after {@value #EAGER_POLLS} looks that found nothing only one poll in {@value #LAZY_INTERVAL}
 * looks, until one finds something, {@link #wake} is called or the owner sleeps. And while up to {@value #MAX_LOOKS}
 * links look at their sockets themselves, only one poll in {@value #SPARED_POLLS} looks for the others, until one finds
 * something. Where polls come slowly, because the owner has other work or no core, every one of them looks that no link
 * has spared: nothing is saved by waiting for the next.
 *
 * <p>Concurrency: {@link #wake}, {@link #isOwner}, {@link #loop}, {@link #lend} and {@link #track} for any thread; the
 * rest as {@link Waiter} says. A wake sets a flag and then wakes the loop; the loop announces that it will block and
 * then looks at the flag ({@code canBlock}), both with full fences, so that no wake is lost. A thread that parks does
 * the same: it says who it is, and then looks at the flag and for a loop.
 *
 * <p>An application that drives the engine itself (INVOKER) had better do so on a Netty {@link FastThreadLocalThread}:
 * on other threads Netty makes a new object for each write.
 */
public final class EventLoopWaiter implements Waiter {
    private static final int EAGER_POLLS = 256;
    private static final int LAZY_INTERVAL = 4;
    private static final int MAX_LOOKS = 4;
    private static final int SPARED_POLLS = 8;
    private static final int CLOSE_TURNS = 1000;

    /** Longer than an owner that spins leaves out looks. */
    private static final long SLOW_NANOS = 1_000_000;

    private static final VarHandle WAKE_REQUESTED;

    static {
        try {
            WAKE_REQUESTED =
                    MethodHandles.lookup().findVarHandle(EventLoopWaiter.class, "wakeRequested", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NanoClock clock;
    private final Set<Channel> tracked = ConcurrentHashMap.newKeySet();
    private final CloseGuard closeGuard = new CloseGuard();
    private volatile @Nullable SocketTransport transport; // null: the best, once it is asked for
    private volatile @Nullable LoopResources resources;
    private volatile @Nullable Loop loop;
    private volatile @Nullable Thread sleeper; // parked, or about to be
    private volatile @Nullable Thread owner;
    private volatile boolean closed;
    private volatile boolean lent; // other channels than the fabrics' may live on it

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile boolean wakeRequested;

    private int eagerPolls = EAGER_POLLS;
    private int skipped;
    private int looks; // by links themselves, since the last poll
    private int spared; // polls
    private boolean quiet; // the loop's last run found nothing
    private boolean running; // the owner is in the loop, in a handler of some channel or task
    private long lastLazyLook;

    /** Creates a waiter on epoll where there is one, else on NIO. */
    public EventLoopWaiter() {
        this.clock = SystemNanoClock.INSTANCE;
    }

    /**
     * Creates a waiter on a given transport.
     *
     * @param transport of all channels on its loop
     * @throws IllegalStateException if this machine does not have it
     */
    public EventLoopWaiter(SocketTransport transport) {
        this(transport, SystemNanoClock.INSTANCE);
    }

    EventLoopWaiter(SocketTransport transport, NanoClock clock) {
        transport.ensureAvailable();
        this.clock = clock;
        this.transport = transport;
    }

    /** Makes the calling thread the owner, unless it is already. */
    public void own() {
        Thread current = Thread.currentThread();
        if (owner == current) {
            return;
        }
        synchronized (this) {
            Thread before = owner;
            if (before != null) {
                throw new IllegalStateException("thread " + current.getName()
                        + " may not drive this event loop: it belongs to thread " + before.getName());
            }
            loop().setOwningThread(current);
            owner = current;
        }
    }

    /** Threads that Netty keeps its objects for: on any other it makes new ones for each write. */
    @Override
    public ThreadFactory threadFactory() {
        return FastThreadLocalThread::new;
    }

    /** Whether the calling thread may drive the loop: it is the owner, or there is none yet. */
    @Override
    public boolean isOwner() {
        Thread known = owner;
        return known == null || known == Thread.currentThread();
    }

    /**
     * The loop, for the channels of fabrics, whose handlers call no application. They must be of {@link #transport}.
     */
    public ManualIoEventLoop loop() {
        Loop known = loop;
        return known == null ? makeLoop() : known;
    }

    private synchronized Loop makeLoop() {
        Loop known = loop;
        if (known != null) {
            return known;
        }
        if (closed) {
            throw new IllegalStateException("the waiter is closed, and has no event loop any more");
        }
        LoopResources made = transport().newLoopResources();
        Loop first = new Loop(made, this);
        resources = made;
        loop = first;
        LockSupport.unpark(sleeper); // it sleeps in the loop from now on
        return first;
    }

    /**
     * The loop, for channels of the application that are to be driven by the same thread. From now on nothing but
     * {@link #await} and a {@link #poll} for its own sake runs it: what is in the middle of something does not, see
     * {@link #runsApplication}.
     */
    public ManualIoEventLoop lend() {
        lent = true;
        return loop();
    }

    @Override
    public boolean runsApplication() {
        return lent;
    }

    /** What keeps the loop's sockets open while another thread than the owner writes to one. */
    CloseGuard closeGuard() {
        return closeGuard;
    }

    /** What the loop's channels are made of. */
    public SocketTransport transport() {
        SocketTransport known = transport;
        if (known == null) {
            known = SocketTransport.best();
            transport = known;
        }
        return known;
    }

    /**
     * Remembers a channel, so that {@link #close} by a thread that does not own the loop can free its socket.
     *
     * @param channel on this loop
     */
    public void track(Channel channel) {
        tracked.add(channel);
        channel.closeFuture().addListener(future -> tracked.remove(channel));
    }

    @Override
    public boolean isRunning() {
        return owner == Thread.currentThread() && running;
    }

    @Override
    public int poll() {
        Loop socketLoop = loop;
        if (socketLoop == null || isRunning()) {
            return 0;
        }
        boolean looked = looks > 0;
        looks = 0;
        if (looked && quiet && ++spared < SPARED_POLLS && !(boolean) WAKE_REQUESTED.getOpaque(this)) {
            return 0;
        }
        spared = 0;
        if (eagerPolls == 0 && ++skipped < LAZY_INTERVAL && !(boolean) WAKE_REQUESTED.getOpaque(this)) {
            return 0;
        }
        skipped = 0;
        own();
        if (closed) {
            return 0;
        }
        int work = run(socketLoop, 0);
        quiet = work == 0;
        if (work > 0) {
            eagerPolls = EAGER_POLLS;
        } else if (eagerPolls > 1) {
            eagerPolls--;
        } else {
            nothingForLong();
        }
        return work;
    }

    /** Runs the loop once, never within itself: a handler's bytes would be overwritten under it. */
    private int run(Loop socketLoop, long nanos) {
        running = true;
        try {
            return nanos > 0 ? socketLoop.run(nanos) : socketLoop.runNow();
        } finally {
            running = false;
        }
    }

    /** Many looks have found nothing: few polls look, unless that few of them take long. */
    private void nothingForLong() {
        long now = clock.nanoTime();
        eagerPolls = eagerPolls == 0 && now - lastLazyLook > SLOW_NANOS ? EAGER_POLLS : 0;
        lastLazyLook = now;
    }

    /**
     * A link asks to look at its socket itself; by the owner.
     *
     * @return false if enough others do so in this turn
     */
    boolean takeLook() {
        return looks < MAX_LOOKS && ++looks > 0;
    }

    @Override
    public void await(long nanos) {
        if (isRunning()) {
            throw new IllegalStateException("the event loop cannot be waited for by a handler that it runs");
        }
        Loop socketLoop = loop;
        if (socketLoop == null) {
            park(nanos);
        } else {
            own();
            if (closed) {
                return;
            }
            run(socketLoop, nanos);
        }
        WAKE_REQUESTED.getAndSet(this, false);
        eagerPolls = EAGER_POLLS;
    }

    private void park(long nanos) {
        sleeper = Thread.currentThread();
        if (!(boolean) WAKE_REQUESTED.getVolatile(this) && loop == null && nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeper = null;
    }

    @Override
    public void wake() {
        if (!(boolean) WAKE_REQUESTED.getAndSet(this, true)) {
            Loop socketLoop = loop;
            if (socketLoop == null) {
                LockSupport.unpark(sleeper);
            } else {
                socketLoop.wakeup();
            }
        }
    }

    /**
     * Closes the loop and all channels on it. Best called by the owner; another thread may call it after the owner has
     * stopped, and then what was {@linkplain #track tracked} is closed without telling its handlers.
     */
    @Override
    public void close() {
        Loop socketLoop;
        synchronized (this) {
            if (closed) {
                return;
            }
            socketLoop = loop;
            if (socketLoop != null && owner == null) {
                own();
            }
            closed = true;
        }
        if (socketLoop == null) {
            wake();
        } else {
            closeGuard.run(() -> close(socketLoop));
        }
    }

    private void close(Loop socketLoop) {
        socketLoop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        LoopResources held = resources;
        if (owner == Thread.currentThread()) {
            for (int i = 0; i < CLOSE_TURNS && !socketLoop.isTerminated() && !isRunning(); i++) {
                run(socketLoop, 0);
            }
        } else if (held != null) {
            Thread last = owner;
            held.abandon(tracked, last == null || !last.isAlive());
        }
        tracked.clear();
    }

    private static final class Loop extends ManualIoEventLoop {
        private volatile @Nullable EventLoopWaiter waiter; // null while the superclass is made

        Loop(IoHandlerFactory factory, EventLoopWaiter waiter) {
            super(null, factory);
            this.waiter = waiter;
        }

        @Override
        protected boolean canBlock() {
            EventLoopWaiter known = waiter;
            return known == null || !(boolean) WAKE_REQUESTED.getVolatile(known);
        }
    }
}
