package io.verbena.bench.check.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A small server that knows what the scenarios need, and misbehaves once when it is told to. A thread a connection. */
final class FakeServer implements AutoCloseable {
    /** What it does wrong, at one command of many. */
    enum Fault {
        NONE,
        /** A client gets the value that another asked for. */
        SWAPPED_REPLIES,
        /** A write is acknowledged and not done. */
        LOST_WRITE,
        /** An increment is answered and not done. */
        REPEATED_COUNTER,
        /** A command is not answered, nor is any later one of its connection. */
        STALL,
        /** A connection is closed with replies outstanding. */
        CLOSE,
        /** A value is half this, half the other. */
        TORN_VALUE,
        /** A write is refused for want of memory, and done. */
        FALSE_REFUSAL,
        /** A value is one byte short, and says so. */
        SHORT_VALUE,
        /** A reply that nobody asked for. */
        SUPERFLUOUS_REPLY,
        /** A key appears that nobody has set. */
        STRAY_KEY
    }

    private static final int DATABASES = 16;
    private static final byte[] CRLF = {'\r', '\n'};

    private final Fault fault;
    private final int at;
    private final ServerSocket listener;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Map<String, byte[]>> databases = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private int candidates;
    private boolean happened;

    /**
     * Starts one.
     *
     * @param at number of the command of the fault's kind at which it happens
     */
    FakeServer(Fault fault, int at) throws IOException {
        this.fault = fault;
        this.at = at;
        for (int i = 0; i < DATABASES; i++) {
            databases.add(new HashMap<>());
        }
        listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Whether the fault came to pass. */
    synchronized boolean hasHappened() {
        return happened;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (closed.getCount() > 0) {
                Socket socket = listener.accept();
                sockets.add(socket);
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            closed.countDown();
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
            int database = 0;
            while (true) {
                if (in.available() == 0) {
                    out.flush();
                }
                List<byte[]> command = read(in);
                if (text(command, 0).equals("SELECT")) {
                    database = Integer.parseInt(text(command, 1));
                    line(out, "+OK");
                } else if (!execute(command, databases.get(database), out)) {
                    out.flush();
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // The client has gone, or the test is over: there is nobody to tell.
            sockets.remove(socket);
        }
    }

    private boolean execute(List<byte[]> command, Map<String, byte[]> keys, OutputStream out)
            throws IOException, InterruptedException {
        String name = text(command, 0);
        boolean now = faultyNow(name);
        if (now && fault == Fault.STALL) {
            closed.await();
        }
        if (now && fault == Fault.CLOSE) {
            return false;
        }
        synchronized (this) {
            switch (name) {
                case "SET" -> set(command, keys, out, now);
                case "GET" -> bulk(out, got(keys, text(command, 1), now));
                case "INCR" -> line(out, ":" + incremented(keys, text(command, 1), now));
                case "DEL" -> line(out, keys.remove(text(command, 1)) == null ? ":0" : ":1");
                case "TTL" -> line(out, keys.containsKey(text(command, 1)) ? ":-1" : ":-2");
                case "DBSIZE" -> line(out, ":" + keys.size());
                case "LRANGE", "SMEMBERS" -> line(out, "*0");
                case "HELLO" -> line(out, "%0");
                case "PING" -> line(out, "+PONG");
                case "ECHO" -> bulk(out, command.get(1));
                default -> line(out, "-ERR unknown command '" + name + "'");
            }
            if (now && fault == Fault.SUPERFLUOUS_REPLY) {
                line(out, "+OK");
            }
        }
        return true;
    }

    private synchronized boolean faultyNow(String name) {
        String kind = switch (fault) {
            case SWAPPED_REPLIES, TORN_VALUE, SHORT_VALUE -> "GET";
            case REPEATED_COUNTER -> "INCR";
            default -> "SET";
        };
        boolean now = fault != Fault.NONE && name.equals(kind) && ++candidates == at;
        happened |= now;
        return now;
    }

    private void set(List<byte[]> command, Map<String, byte[]> keys, OutputStream out, boolean now) throws IOException {
        if (!now || fault != Fault.LOST_WRITE) {
            keys.put(text(command, 1), command.get(2));
        }
        if (now && fault == Fault.STRAY_KEY) {
            keys.put("stray", command.get(2));
        }
        line(out, now && fault == Fault.FALSE_REFUSAL ? "-OOM command not allowed" : "+OK");
    }

    private byte[] got(Map<String, byte[]> keys, String key, boolean now) {
        byte[] value = keys.get(key);
        if (!now) {
            return value;
        }
        byte[] other = databases.stream()
                .flatMap(each -> each.entrySet().stream())
                .filter(each -> !each.getKey().equals(key) && each.getValue().length >= value.length)
                .findFirst()
                .orElseThrow()
                .getValue();
        if (fault == Fault.SWAPPED_REPLIES) {
            return other;
        }
        byte[] torn = Arrays.copyOf(value, fault == Fault.SHORT_VALUE ? value.length - 1 : value.length);
        if (fault == Fault.TORN_VALUE) {
            System.arraycopy(other, torn.length / 2, torn, torn.length / 2, torn.length - torn.length / 2);
        }
        return torn;
    }

    private static long incremented(Map<String, byte[]> keys, String key, boolean now) {
        byte[] value = keys.get(key);
        long next = (value == null ? 0 : Long.parseLong(new String(value, StandardCharsets.US_ASCII))) + 1;
        if (now) {
            return next - 1;
        }
        keys.put(key, Long.toString(next).getBytes(StandardCharsets.US_ASCII));
        return next;
    }

    private static List<byte[]> read(InputStream in) throws IOException {
        int count = number(in);
        List<byte[]> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            arguments.add(in.readNBytes(number(in)));
            in.skipNBytes(2);
        }
        return arguments;
    }

    private static int number(InputStream in) throws IOException {
        in.skipNBytes(1);
        int value = 0;
        for (int each = in.read(); each != '\r'; each = in.read()) {
            if (each < 0) {
                throw new EOFException();
            }
            value = 10 * value + each - '0';
        }
        in.skipNBytes(1);
        return value;
    }

    private static String text(List<byte[]> command, int index) {
        return new String(command.get(index), StandardCharsets.ISO_8859_1);
    }

    private static void line(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.write(CRLF);
    }

    private static void bulk(OutputStream out, byte[] value) throws IOException {
        if (value == null) {
            line(out, "$-1");
            return;
        }
        line(out, "$" + value.length);
        out.write(value);
        out.write(CRLF);
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
        for (Socket each : sockets) {
            each.close();
        }
    }
}
