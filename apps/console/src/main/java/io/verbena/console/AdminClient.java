package io.verbena.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Speaks to a node's administration socket: a line a request. {@code list} is answered by a line of JSON a tenant and a
 * line {@code ok}; what sets something, by {@code ok} or {@code error} and why. For one thread; no answer is waited for
 * longer than five seconds.
 */
final class AdminClient implements AutoCloseable {
    private static final String OK = "ok";
    private static final String ERROR = "error ";
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX_ANSWER = 1 << 20;
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private final Path socket;
    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocate(8192).flip();

    /** Connects. */
    AdminClient(Path socket) {
        this.socket = socket;
        SocketChannel opened = null;
        try {
            opened = SocketChannel.open(UnixDomainSocketAddress.of(socket));
            opened.configureBlocking(false);
            selector = Selector.open();
            opened.register(selector, SelectionKey.OP_READ);
            channel = opened;
        } catch (IOException e) {
            close(opened);
            throw new ConsoleException("no node answers at " + socket + ": " + e.getMessage(), e);
        }
    }

    /** The tenants, in the node's order. */
    List<TenantState> list() {
        List<TenantState> tenants = new ArrayList<>();
        for (String line : ask("list")) {
            try {
                tenants.add(JSON.readValue(line, TenantState.class));
            } catch (JacksonException e) {
                throw new ConsoleException("cannot read '" + line + "': " + e.getOriginalMessage(), e);
            }
        }
        return tenants;
    }

    /**
     * Gives a tenant another weight.
     *
     * @throws ConsoleException if the node refuses; says why
     */
    void weight(String tenant, int weight) {
        ask("weight " + tenant + " " + weight);
    }

    private List<String> ask(String request) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes); // a line fits in the socket's buffer, or the node is gone
            }
            long end = System.nanoTime() + LIMIT_NANOS;
            List<String> lines = new ArrayList<>();
            while (true) {
                String line = line(end);
                if (line.equals(OK)) {
                    return lines;
                }
                if (line.startsWith(ERROR)) {
                    throw new ConsoleException(line.substring(ERROR.length()));
                }
                lines.add(line);
            }
        } catch (IOException e) {
            throw new ConsoleException("lost the node at " + socket + ": " + e.getMessage(), e);
        }
    }

    private String line(long end) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (line.size() < MAX_ANSWER) {
            if (!buffer.hasRemaining()) {
                fill(end);
            }
            byte next = buffer.get();
            if (next == '\n') {
                return line.toString(StandardCharsets.UTF_8);
            }
            line.write(next);
        }
        throw new IOException("a line of more than " + MAX_ANSWER + " bytes");
    }

    private void fill(long end) throws IOException {
        buffer.clear();
        int read = channel.read(buffer);
        while (read == 0) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new IOException("no answer within " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS) + " s");
            }
            selector.select(left);
            selector.selectedKeys().clear();
            read = channel.read(buffer);
        }
        if (read < 0) {
            throw new IOException("it has closed the connection");
        }
        buffer.flip();
    }

    private static void close(@Nullable SocketChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                return; // it was not open for long
            }
        }
    }

    @Override
    public void close() {
        close(channel);
        try {
            selector.close();
        } catch (IOException e) {
            throw new ConsoleException("cannot close the connection to " + socket + ": " + e.getMessage(), e);
        }
    }
}
