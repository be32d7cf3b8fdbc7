package io.verbena.fabric;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.Waiter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Plays an engine: a thread that owns a waiter, polls its links, sends what it is given and sleeps when there is
 * nothing to do. Packets are 64-bit sequence, then length, then bytes that follow from both.
 */
public final class TestNode implements AutoCloseable {
    public static final int MIN_PACKET = 12;
    private static final int HEADER_LENGTH = 24;

    public final Waiter waiter;
    public final LinkEndpoint endpoint;
    public final BlockingQueue<Link> links = new LinkedBlockingQueue<>();
    public final BlockingQueue<String> rejections = new LinkedBlockingQueue<>();
    public final BlockingQueue<Link> dead = new LinkedBlockingQueue<>();
    public volatile long received;
    public volatile Throwable failure;
    public volatile boolean paused;
    public volatile PacketHandler handler = this::check;

    private final CopyOnWriteArrayList<Link> polled = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final Queue<Sending> sendings = new ArrayDeque<>();
    private final Thread thread;
    private long expected;
    private volatile boolean running = true;

    public TestNode(long nicId, Waiter waiter) {
        this(nicId, waiter, new TestMemory());
    }

    public TestNode(long nicId, Waiter waiter, MemoryProvider memory) {
        this.waiter = waiter;
        LinkListener listener = new LinkListener() {
            @Override
            public void onLink(Link link) {
                links.add(link);
                polled.add(link);
                waiter.wake();
            }

            @Override
            public void onRejected(String remote, String reason) {
                rejections.add(remote + ": " + reason);
            }

            @Override
            public void onPeerDied(Link link) {
                dead.add(link);
            }
        };
        this.endpoint = new LinkEndpoint(nicId, 0, waiter, memory, listener);
        this.thread = new Thread(this::run, "node-" + nicId);
        thread.setDaemon(true);
    }

    public TestNode start() {
        thread.start();
        return this;
    }

    /** A packet's length for a sequence number: all sizes up to the largest. */
    public static int lengthOf(long sequence, int maxPacket) {
        long hash = (sequence + 1) * 0x9E3779B97F4A7C15L;
        int kind = (int) (hash >>> 60);
        int bound = kind < 8 ? 100 : kind < 14 ? 2000 : maxPacket;
        return MIN_PACKET + (int) ((hash >>> 20) % (Math.min(bound, maxPacket) - MIN_PACKET + 1));
    }

    /** Sends packets of all sizes, as fast as the link takes them. */
    public Sending send(Link link, long count) {
        return send(new Sending(link, count, false));
    }

    /** Sends packets whose payloads the link is given by reference. */
    public Sending sendByReference(Link link, long count) {
        return send(new Sending(link, count, true));
    }

    private Sending send(Sending sending) {
        commands.add(() -> sendings.add(sending));
        waiter.wake();
        return sending;
    }

    /** Runs something on the node's thread. */
    public void execute(Runnable command) {
        commands.add(command);
        waiter.wake();
    }

    public Link nextLink() throws InterruptedException {
        Link link = links.poll(10, TimeUnit.SECONDS);
        if (link == null) {
            throw new AssertionError("no link within 10 s; rejections: " + rejections);
        }
        return link;
    }

    public String nextRejection() throws InterruptedException {
        String rejection = rejections.poll(15, TimeUnit.SECONDS);
        if (rejection == null) {
            throw new AssertionError("no rejection within 15 s");
        }
        return rejection;
    }

    private void run() {
        try {
            while (running) {
                int work = waiter.poll();
                Runnable command;
                while ((command = commands.poll()) != null) {
                    command.run();
                    work++;
                }
                for (Link link : polled) {
                    if (!paused) {
                        int packets = link.poll(handler, 64);
                        if (packets > 0) {
                            link.flush();
                            work += packets;
                        } else if (link.state() == Link.State.DOWN) {
                            polled.remove(link);
                            link.release();
                        }
                    }
                    if (link.state() == Link.State.CLOSED) {
                        polled.remove(link);
                    }
                }
                for (Sending sending : sendings) {
                    work += sending.step();
                }
                sendings.removeIf(Sending::isDone);
                if (work == 0 && commands.isEmpty()) {
                    boolean blocked = !sendings.isEmpty();
                    waiter.await(blocked ? 100_000 : 20_000_000);
                }
            }
        } catch (Throwable t) {
            failure = t;
        } finally {
            waiter.close();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void check(Link link, DirectBuffer buffer, int offset, int length) {
        long sequence = buffer.getLong(offset);
        if (sequence != expected) {
            throw new AssertionError("packet " + sequence + ", expected " + expected);
        }
        verify(buffer, offset, length, lengthOf(sequence, link.maxPacket()));
        expected++;
        received++;
    }

    public static void verify(DirectBuffer buffer, int offset, int length, int expectedLength) {
        long sequence = buffer.getLong(offset);
        if (length != expectedLength) {
            throw new AssertionError("packet " + sequence + " of " + length + " bytes, expected " + expectedLength);
        }
        for (int i = 8; i < length; i++) {
            if (buffer.getByte(offset + i) != (byte) (sequence * 31 + i)) {
                throw new AssertionError("packet " + sequence + " differs at byte " + i);
            }
        }
    }

    /** What comes from now on begins anew; returns when the node's thread knows. */
    public void expectFrom(long sequence) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        execute(() -> {
            expected = sequence;
            done.complete(null);
        });
        done.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        running = false;
        waiter.wake();
        if (thread.isAlive()) {
            try {
                thread.join(5_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        } else {
            waiter.close();
        }
        if (failure != null) {
            throw new AssertionError("node failed", failure);
        }
    }

    /** Writes one packet if the link has room. */
    public static boolean offer(Link link, long sequence) {
        int length = lengthOf(sequence, link.maxPacket());
        int offset = link.claim(length);
        if (offset == Link.NO_ROOM) {
            return false;
        }
        if ((offset & 7) != 0) {
            throw new AssertionError("claim at " + offset + " is not 8-byte aligned");
        }
        link.buffer().putLong(offset, sequence);
        for (int i = 8; i < length; i++) {
            link.buffer().putByte(offset + i, (byte) (sequence * 31 + i));
        }
        link.commit();
        return true;
    }

    /**
     * As {@link #offer}, but the payload lies in a buffer of the caller's, where it stays until the link is flushed.
     */
    private static boolean offerByReference(Link link, long sequence, UnsafeBuffer payload, int at) {
        int length = lengthOf(sequence, link.maxPacket());
        if (length < 2 * HEADER_LENGTH) {
            return offer(link, sequence);
        }
        for (int i = HEADER_LENGTH; i < length; i++) {
            payload.putByte(at + i, (byte) (sequence * 31 + i));
        }
        int offset = link.claim(HEADER_LENGTH, payload, at + HEADER_LENGTH, length - HEADER_LENGTH);
        if (offset == Link.NO_ROOM) {
            return false;
        }
        link.buffer().putLong(offset, sequence);
        for (int i = 8; i < HEADER_LENGTH; i++) {
            link.buffer().putByte(offset + i, (byte) (sequence * 31 + i));
        }
        link.commit();
        return true;
    }

    /** A number of packets on their way. */
    public static final class Sending {
        public volatile long sent;
        public volatile long refused;
        private final Link link;
        private final long count;
        private int steps;
        private final UnsafeBuffer payloads; // where they lie, if links are given them by reference

        Sending(Link link, long count, boolean byReference) {
            this.link = link;
            this.count = count;
            this.payloads = byReference ? new UnsafeBuffer(ByteBuffer.allocateDirect(64 * link.maxPacket())) : null;
        }

        @SuppressWarnings("NonAtomicVolatileUpdate")
        int step() {
            int before = (int) sent;
            for (int i = 0; i < 64 && sent < count; i++) {
                UnsafeBuffer lying = payloads;
                boolean taken =
                        lying == null ? offer(link, sent) : offerByReference(link, sent, lying, i * link.maxPacket());
                if (!taken) {
                    refused++;
                    break;
                }
                sent++;
            }
            if (++steps % 3 == 0) {
                link.ahead(32 * 1024); // now and then somebody wants to know
            }
            link.flush();
            link.wakePeer(0);
            return (int) sent - before;
        }

        public boolean isDone() {
            return sent >= count || link.state() != Link.State.UP;
        }
    }
}
