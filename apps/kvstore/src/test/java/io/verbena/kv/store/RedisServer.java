package io.verbena.kv.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A redis-server of its own on a Unix-domain socket, and one connection to it. Text is Latin-1. */
final class RedisServer implements AutoCloseable {
    private final Process process;
    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocate(1 << 16).limit(0);

    private RedisServer(Process process, SocketChannel channel) {
        this.process = process;
        this.channel = channel;
    }

    /** Version of the installed server, or null if there is none. */
    static String version() throws IOException, InterruptedException {
        try {
            Process process = new ProcessBuilder("redis-server", "--version").start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            process.waitFor(10, TimeUnit.SECONDS);
            int at = text.indexOf("v=");
            return at < 0 ? null : text.substring(at + 2, text.indexOf(' ', at));
        } catch (IOException notInstalled) {
            return null;
        }
    }

    static RedisServer start(Path directory) throws Exception {
        Path socket = directory.resolve("redis.sock");
        Process process = new ProcessBuilder(
                        "redis-server",
                        "--port",
                        "0",
                        "--unixsocket",
                        socket.toString(),
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--dir",
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("redis.log").toFile())
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                channel.connect(UnixDomainSocketAddress.of(socket));
                return new RedisServer(process, channel);
            } catch (IOException notYet) {
                if (System.nanoTime() > deadline || !process.isAlive()) {
                    process.destroyForcibly();
                    throw new IOException(Files.readString(directory.resolve("redis.log")), notYet);
                }
                Thread.sleep(20);
            }
        }
    }

    /** Sends a command; the reply as it came over the wire. */
    String call(String command, String... arguments) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + (arguments.length + 1) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        writeBulk(out, command);
        for (String argument : arguments) {
            writeBulk(out, argument);
        }
        ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        StringBuilder reply = new StringBuilder();
        readValue(reply);
        return reply.toString();
    }

    private static void writeBulk(ByteArrayOutputStream out, String text) {
        out.writeBytes(("$" + text.length() + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes((text + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private void readValue(StringBuilder reply) throws IOException {
        int start = reply.length();
        readLine(reply);
        char type = reply.charAt(start);
        if (type == '$' || type == '*' || type == '~' || type == '%') {
            int count = Integer.parseInt(reply.substring(start + 1, reply.length() - 2));
            if (type == '$') {
                for (int i = 0; count >= 0 && i < count + 2; i++) {
                    reply.append(readByte());
                }
            } else {
                for (int i = 0; i < (type == '%' ? 2 * count : count); i++) {
                    readValue(reply);
                }
            }
        }
    }

    private void readLine(StringBuilder reply) throws IOException {
        char last;
        do {
            last = readByte();
            reply.append(last);
        } while (last != '\n');
    }

    private char readByte() throws IOException {
        if (!in.hasRemaining()) {
            in.clear();
            if (channel.read(in) < 0) {
                throw new IOException("redis-server closed the connection");
            }
            in.flip();
        }
        return (char) (in.get() & 0xff);
    }

    @Override
    public void close() throws Exception {
        channel.close();
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
