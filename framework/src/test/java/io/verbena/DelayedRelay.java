package io.verbena;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A long way between two sockets on this machine: what comes in goes out later, as much of it as there is. */
final class DelayedRelay implements AutoCloseable {
    /** Bytes, empty at the end, and when they may go on. */
    private static final class Piece {
        private final byte[] bytes;
        private final long due;

        private Piece(byte[] bytes, long due) {
            this.bytes = bytes;
            this.due = due;
        }
    }

    private final ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new ArrayList<>(); // under itself
    private final int target;
    private final long delayNanos;

    /**
     * Begins to take connections.
     *
     * @param target port that they are meant for
     * @param delayNanos of each way
     */
    DelayedRelay(int target, long delayNanos) throws IOException {
        this.target = target;
        this.delayNanos = delayNanos;
        begin(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void begin(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException e) {
                        // its connection, or the relay, is over
                    }
                },
                "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket in = listener.accept();
            Socket out = new Socket(InetAddress.getLoopbackAddress(), target);
            synchronized (sockets) {
                sockets.add(in);
                sockets.add(out);
            }
            relay(in, out);
            relay(out, in);
        }
    }

    private void relay(Socket from, Socket to) {
        BlockingQueue<Piece> way = new LinkedBlockingQueue<>();
        begin(() -> take(from.getInputStream(), way));
        begin(() -> give(way, to));
    }

    private void take(InputStream from, BlockingQueue<Piece> way) throws IOException {
        byte[] bytes = new byte[64 << 10];
        for (int read = 0; read >= 0; ) {
            read = from.read(bytes);
            way.add(new Piece(Arrays.copyOf(bytes, Math.max(0, read)), System.nanoTime() + delayNanos));
        }
    }

    private static void give(BlockingQueue<Piece> way, Socket to) throws IOException, InterruptedException {
        OutputStream out = to.getOutputStream();
        for (Piece next = way.take(); next.bytes.length > 0; next = way.take()) {
            TimeUnit.NANOSECONDS.sleep(next.due - System.nanoTime());
            out.write(next.bytes);
        }
        to.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        synchronized (sockets) {
            for (Socket each : sockets) {
                each.close();
            }
        }
    }
}
