package io.verbena.bench.perftest;

import io.verbena.fabric.security.TlsSockets;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection beside the fabric, over which two ends agree and by which each sees the other end. A thread of its own
 * reads it, so that a look costs a busy end no system call.
 *
 * <p>{@link #hasMessage} and {@link #checkAlive} for any thread, the rest for one.
 */
final class ControlSocket implements AutoCloseable {
    private static final int MAX_LINE = 64 * 1024;
    private static final int MAX_MESSAGES = 64;
    private static final String ERROR = "error";
    private static final String GONE = "the other side closed the control connection: it ended, or was killed";

    private final Socket socket;
    private final ArrayBlockingQueue<ControlLine> messages = new ArrayBlockingQueue<>(MAX_MESSAGES);
    private volatile int received; // by the reader alone
    private int taken;
    private volatile @Nullable String broken;
    private volatile @Nullable String gaveUp; // the other side has said why

    private ControlSocket(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        Thread reader = new Thread(this::read, "perftest-control");
        reader.setDaemon(true);
        reader.start();
    }

    /** Listens, with TLS if that is given; port 0 takes any free one. */
    static ServerSocket listen(InetAddress address, int port, @Nullable TlsSockets tls) {
        try {
            ServerSocket server = tls == null ? new ServerSocket() : tls.serverSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(address, port), 1);
            return server;
        } catch (IOException e) {
            throw new RunException(
                    "cannot listen on " + address.getHostAddress() + ":" + port + " (" + e.getMessage()
                            + "); choose another port with -p on both sides",
                    e);
        }
    }

    /** Waits for the client, {@code timeoutNanos} at most; 0 waits forever. */
    static ControlSocket accept(ServerSocket server, long timeoutNanos) {
        try {
            server.setSoTimeout((int) Math.min(TimeUnit.NANOSECONDS.toMillis(timeoutNanos), Integer.MAX_VALUE));
            return new ControlSocket(server.accept());
        } catch (SocketTimeoutException e) {
            throw new RunException("no client within " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s", e);
        } catch (IOException e) {
            throw new RunException("cannot accept a client: " + e.getMessage(), e);
        }
    }

    static ControlSocket connect(String host, int port, @Nullable TlsSockets tls, long timeoutNanos) {
        int millis = (int) TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
        try {
            InetSocketAddress address = new InetSocketAddress(host, port);
            return new ControlSocket(tls == null ? connect(address, millis) : tls.connect(address, millis));
        } catch (IOException | IllegalArgumentException e) {
            throw new RunException(
                    "cannot connect to " + host + ":" + port + " (" + reason(e)
                            + "); start the server first: the same command without the host",
                    e);
        }
    }

    private static Socket connect(InetSocketAddress address, int millis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address, millis);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static String reason(Exception e) {
        return e instanceof java.net.UnknownHostException ? "unknown host" : String.valueOf(e.getMessage());
    }

    /** The host at the other end. */
    InetAddress remote() {
        return socket.getInetAddress();
    }

    private void read() {
        int count = 0;
        try (InputStream in = new BufferedInputStream(socket.getInputStream())) {
            while (true) {
                String line = readLine(in);
                if (line == null) {
                    broken = GONE;
                    return;
                }
                ControlLine message = ControlLine.parse(line);
                if (message.type().equals(ERROR)) {
                    gaveUp = gaveUp(message);
                }
                if (!messages.offer(message)) {
                    broken = "the other side is no perftest: more than " + MAX_MESSAGES + " messages at once";
                    return;
                }
                received = ++count;
            }
        } catch (IOException e) {
            broken = GONE + " (" + e.getMessage() + ")"; // a reset: it had not read everything
        } catch (RunException e) {
            broken = e.getMessage();
        }
    }

    private static @Nullable String readLine(InputStream in) throws IOException {
        byte[] line = new byte[256];
        int length = 0;
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (length == MAX_LINE) {
                throw new RunException("the other side is no perftest: a line of more than " + MAX_LINE);
            }
            if (length == line.length) {
                line = java.util.Arrays.copyOf(line, length * 2);
            }
            line[length++] = (byte) b;
        }
        return new String(line, 0, length, StandardCharsets.UTF_8);
    }

    void send(ControlLine message) {
        try {
            socket.getOutputStream().write(message.line().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            checkAlive(); // the reader knows better
            throw new RunException(GONE + " (" + e.getMessage() + ")", e);
        }
    }

    /** Tells the other side why this one ends; does not fail itself. */
    void sendError(String reason) {
        try {
            socket.getOutputStream()
                    .write(new ControlLine(ERROR).with("reason", reason).line().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            broken = e.getMessage();
        }
    }

    /**
     * What the other side has said about its end, or how it went, that may explain a failure here.
     *
     * @param waitNanos how long to wait for it
     * @return null if there is nothing
     */
    @Nullable
    String farewell(long waitNanos) {
        long deadline = System.nanoTime() + waitNanos;
        try {
            while (System.nanoTime() - deadline < 0) {
                ControlLine message = messages.poll(10, TimeUnit.MILLISECONDS);
                if (message != null && message.type().equals(ERROR)) {
                    return gaveUp(message);
                }
                String reason = broken;
                if (message == null && reason != null) {
                    return reason;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private static String gaveUp(ControlLine error) {
        return "the other side gave up: " + error.text("reason");
    }

    /** Whether {@link #receive} would return at once. */
    boolean hasMessage() {
        return received - taken > 0; // a message may be taken before it is counted
    }

    /** Throws if the other side has given up, or is gone and has left no message. */
    void checkAlive() {
        String why = gaveUp;
        if (why != null) {
            throw new RunException(why);
        }
        String reason = broken;
        if (reason != null && !hasMessage()) {
            throw new RunException(reason);
        }
    }

    /** Waits for a message of a type; the other side's error, another type or silence ends the test. */
    ControlLine receive(String type, long timeoutNanos) {
        ControlLine message = receive(timeoutNanos);
        if (!message.type().equals(type)) {
            throw new RunException("the other side says '" + message.type() + "' where '" + type + "' was expected");
        }
        return message;
    }

    /** Waits for any message but an error. */
    ControlLine receive(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        ControlLine message = null;
        try {
            while (message == null) {
                message = messages.poll(10, TimeUnit.MILLISECONDS);
                if (message == null) {
                    checkAlive();
                    if (System.nanoTime() - deadline > 0) {
                        throw new RunException("the other side said nothing for "
                                + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s");
                    }
                }
            }
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
        taken++;
        if (message.type().equals(ERROR)) {
            throw new RunException(gaveUp(message));
        }
        return message;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            broken = e.getMessage();
        }
    }
}
