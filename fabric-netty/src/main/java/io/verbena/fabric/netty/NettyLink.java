package io.verbena.fabric.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.verbena.fabric.PeerProcess;
import io.verbena.fabric.security.AuthenticatedLink;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.port.Arrivals;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over one TCP or Unix-domain connection. A break ends it: {@link Link.State#DOWN}; what is rebuilt is another
 * link.
 *
 * <p>Concurrency: as {@link Link} says. Sending is split at {@link LinkSender}, receiving at {@link FrameReader},
 * between the baton holder and the owner of the loop. {@link #flush} writes to the socket itself where the baton holder
 * is the owner, or where the owner has nothing left to write. Otherwise, and for the rest, it leaves a task with the
 * loop, one at a time, which wakes the owner if he sleeps.
 *
 * <p>A link that has just had packets is warm: where the baton holder is the owner and the transport is epoll, its
 * polls read the socket and spare the loop's question which socket is ready ({@link DirectSocket}).
 */
public final class NettyLink implements AuthenticatedLink {
    private static final Logger LOG = LoggerFactory.getLogger(NettyLink.class);
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(NettyLink.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Polls that find nothing before a link leaves its socket to the event loop. */
    private static final int WARM_POLLS = 256;

    private final NettyFabric fabric;
    private final Channel channel;
    private final EventLoop loop;
    private final RemoteEnd remote;
    private final int receiveLimit;
    private final LinkSender outbound;
    private final FrameReader inbound;
    private final @Nullable DirectSocket direct;
    private final @Nullable LinkDialer connector;
    private final LoopTask writing;
    private final LoopTask readingAgain;

    private volatile State state = State.UP;

    // Written under the baton, read by whoever receives or ends the link.
    private volatile @Nullable Arrivals arrivals;
    private volatile int number;

    /** Written by the owner: it has stopped reading because too much waits to be polled. */
    private volatile boolean readPaused;

    private final long upSince = System.nanoTime();

    /** Written once, by the baton holder: a packet has come. */
    private volatile boolean delivered;

    // Of the baton holder.
    private int warmth; // polls in which it looks at the socket itself

    // Of the loop's owner.
    private boolean ended;
    private boolean faultReported;

    NettyLink(NettyFabric fabric, Channel channel, RemoteEnd remote, int maxPacket, @Nullable LinkDialer connector) {
        this.fabric = fabric;
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.remote = remote;
        this.receiveLimit = fabric.context().receiveLimit();
        boolean encrypted = TlsHandshake.isOn(channel);
        this.direct = encrypted
                ? null
                : DirectSocket.of(channel, fabric.waiter().closeGuard()); // bytes that bypass the channel bypass TLS
        Marks marks = new Marks();
        this.outbound = new LinkSender(maxPacket, fabric.context(), channel, direct, encrypted, marks, this::arrived);
        this.inbound = new FrameReader(maxPacket, fabric.readBuffers(), fabric::makeRoom, marks);
        this.connector = connector;
        this.writing = new LoopTask(loop, outbound::writeSealed);
        this.readingAgain = new LoopTask(loop, this::readAgain);
    }

    @Override
    public long peerNic() {
        return remote.nic();
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public int maxPacket() {
        return outbound.maxPacket();
    }

    /** The other end's address, as far as the socket knows it. */
    public String remote() {
        return remote.address();
    }

    @Override
    public PeerIdentity peer() {
        return remote.identity();
    }

    /**
     * Reserves room for one packet.
     *
     * @param length of the packet, 12 to {@link #maxPacket}
     */
    @Override
    public int claim(int length) {
        return state == State.UP ? outbound.claim(length) : NO_ROOM;
    }

    /** As {@link #claim(int)}; a payload of some KiB is not copied, where the baton holder is the loop's owner. */
    @Override
    public int claim(int headerLength, DirectBuffer payload, int payloadOffset, int payloadLength) {
        return outbound.gathers(payload, payloadLength) && state == State.UP
                ? outbound.claimGathered(headerLength, payload, payloadOffset, payloadLength)
                : AuthenticatedLink.super.claim(headerLength, payload, payloadOffset, payloadLength);
    }

    @Override
    public MutableDirectBuffer buffer() {
        return outbound.buffer();
    }

    @Override
    public void commit() {
        outbound.commit();
    }

    @Override
    public void flush() {
        if (loop.inEventLoop()) {
            outbound.write();
            return;
        }
        outbound.tryWrite();
        if (outbound.hasSealed()) {
            ask(writing);
        }
    }

    @Override
    public boolean isFlushCostly() {
        return true;
    }

    private void ask(LoopTask task) {
        try {
            task.ask();
        } catch (RejectedExecutionException e) {
            // The loop is closed, and the socket with it.
            STATE.compareAndSet(this, State.UP, State.DOWN);
            arrived();
        }
    }

    @Override
    public int poll(PacketHandler handler, int limit) {
        if (state == State.CLOSED) {
            return 0;
        }
        DirectSocket socket = warmth > 0 && mayReadItself() ? direct : null;
        if (socket == null && !hasInbound()) {
            return 0;
        }
        int packets = inbound.poll(this, handler, limit, socket);
        if (outbound.answer() && packets == 0) {
            flush(); // else what the packets give to send goes with it
        }
        if (packets > 0) {
            warmth = direct == null ? 0 : WARM_POLLS;
            if (!delivered) {
                delivered = true;
            }
        } else if (socket != null) {
            warmth = inbound.hasEnded() ? 0 : warmth - 1;
        }
        if (readPaused && !inbound.isAbove(receiveLimit >> 1)) {
            ask(readingAgain);
        }
        if (inbound.fault() != null) {
            faulty();
        } else if (state == State.CLOSED) {
            inbound.release();
        }
        return packets;
    }

    private void faulty() {
        STATE.compareAndSet(this, State.UP, State.DOWN);
        inbound.release();
        ask(new LoopTask(loop, this::reportFault));
    }

    /** When the frame began that is in pieces here, or 0; by the baton holder. */
    long assemblingSince() {
        return inbound.assemblingSince();
    }

    /** Ends, for others need the memory of the frame that is in pieces here; by the baton holder. */
    void starve() {
        inbound.starve();
        faulty();
        arrived();
    }

    /**
     * Whether this poll may read the socket: it comes from the thread that reads it in any case, nothing that was read
     * before is on its way, and not too many links do the same in this turn.
     */
    private boolean mayReadItself() {
        return state == State.UP
                && !readPaused
                && loop.inEventLoop()
                && fabric.waiter().takeLook();
    }

    @Override
    public boolean hasInbound() {
        return (inbound.hasInbound() || outbound.mayAnswer()) && state != State.CLOSED;
    }

    @Override
    public boolean announceTo(@Nullable Arrivals told, int as) {
        number = as;
        arrivals = told;
        return true;
    }

    private void arrived() {
        VarHandle.fullFence(); // what has come first, then the look at who is told
        Arrivals told = arrivals;
        if (told != null) {
            told.arrived(number);
        }
    }

    @Override
    public int unsent() {
        return outbound.unsent();
    }

    /** {@inheritDoc} The peer is asked by marks in the stream; what is in the kernels of both sides is counted. */
    @Override
    public int ahead(int limit) {
        int bytes = outbound.ahead();
        if (bytes >= limit && outbound.ask()) {
            flush();
        }
        return bytes;
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return null;
    }

    /** Does nothing: what is flushed to a socket wakes the peer by itself. */
    @Override
    public void wakePeer(int engine) {}

    /** Nobody wants this link back: it is not connected again, also if it is down. */
    void giveUp() {
        if (connector != null) {
            connector.close();
        }
        close();
    }

    /** Closes this end. One that is up is not connected again; one that is down is, whoever tidies it up. */
    @Override
    public void close() {
        State before = (State) STATE.getAndSet(this, State.CLOSED);
        arrived();
        if (before != State.CLOSED) {
            if (connector != null && before == State.UP) {
                connector.close();
            }
            channel.close();
            inbound.release();
        }
    }

    @Override
    public void release() {
        inbound.free();
        outbound.release();
        if (outbound.hasSealed()) {
            ask(writing); // the channel, which is closed, gives them back
        }
    }

    /** Bytes have come; by the owner. */
    void received(ByteBuf buffer) {
        if (state != State.UP || !buffer.isReadable()) {
            buffer.release();
            return;
        }
        inbound.offer(buffer);
        arrived();
        if (inbound.isAbove(receiveLimit)) {
            pauseReading();
        }
        if (state == State.CLOSED) {
            inbound.release();
        }
    }

    private void pauseReading() {
        channel.config().setAutoRead(false);
        readPaused = true;
        // The poller may have drained everything before it could see that reading stopped.
        if (!inbound.isAbove(receiveLimit >> 1)) {
            readAgain();
        }
    }

    private void readAgain() {
        if (readPaused && !inbound.isAbove(receiveLimit >> 1)) {
            readPaused = false;
            channel.config().setAutoRead(true);
        }
    }

    /** The connection has ended; by the owner. */
    void broken(@Nullable Throwable cause) {
        if (ended) {
            return;
        }
        ended = true;
        boolean closedHere =
                state == State.CLOSED; // once it is down, whoever sees that closes it, and that is not meant
        boolean byPeer = STATE.compareAndSet(this, State.UP, State.DOWN) && cause == null; // or else it was not up here
        arrived();
        if (closedHere) {
            LOG.debug("{}: link to {} closed", fabric, remote);
        } else {
            LOG.info("{}: link to {} is down: {}", fabric, remote, reason(cause));
        }
        fabric.linkEnded(this, byPeer && connector == null);
        PeerProcess process = remote.process();
        if (process != null && !closedHere) {
            fabric.watch(this, process, 0);
        }
        if (connector != null) {
            connector.linkBroken();
        }
    }

    private static String reason(@Nullable Throwable cause) {
        if (cause == null) {
            return "closed by the peer";
        }
        Throwable first = cause.getCause();
        Throwable told = cause instanceof ChannelOutputShutdownException && first != null ? first : cause;
        String message = told.getMessage();
        return message == null ? told.toString() : message;
    }

    /** It breaks, for its other end is gone, as the peer has proved, and another link follows; by the owner. */
    void replaced() {
        STATE.compareAndSet(this, State.UP, State.DOWN);
        arrived();
        channel.close();
    }

    /** Whether a packet has ever come. Any thread. */
    boolean hasDelivered() {
        return delivered;
    }

    /** When it came up. */
    long upSince() {
        return upSince;
    }

    /** Gives its place to others; by the owner. */
    void expel(String reason) {
        fabric.expelled(remote.address(), reason);
        replaced();
    }

    private void reportFault() {
        String fault = inbound.fault();
        if (fault != null) {
            rejectedFor(fault);
        }
    }

    /** Closes the connection for cause; by the owner. */
    private void rejectedFor(String fault) {
        if (!faultReported) {
            faultReported = true;
            if (inbound.isStarved()) {
                fabric.starved(remote.address(), fault);
            } else {
                fabric.malformed(remote.address(), fault);
            }
            STATE.compareAndSet(this, State.UP, State.DOWN);
            arrived();
            channel.close();
        }
    }

    /** Closes the connection if the peer has left a frame unfinished for too long; by the owner. */
    void checkStalled(long now, long frameTimeoutNanos) {
        long waited = inbound.partialFor(now);
        if (waited > frameTimeoutNanos) {
            rejectedFor("frame unfinished after " + waited / 1_000_000 + " ms");
        }
    }

    @Override
    public String toString() {
        return "link to " + remote + ", " + state;
    }
}
