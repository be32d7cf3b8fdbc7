package io.verbena.redis;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A blocking client that shows replies as the bytes they are. */
final class RespClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    private final ByteArrayOutputStream reply = new ByteArrayOutputStream();
    private final byte[] buffer = new byte[64 << 10];
    private int position;
    private int limit;

    RespClient(int port) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    Socket socket() {
        return socket;
    }

    /** Sends bytes as they are. */
    RespClient send(String latin1) throws IOException {
        out.write(latin1.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        return this;
    }

    RespClient send(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        out.flush();
        return this;
    }

    /** Sends a command as an array of bulk strings and returns its reply. */
    String command(String... words) throws IOException {
        send(encode(words));
        return read();
    }

    /** A command on the wire. */
    static String encode(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString();
    }

    /** Reads one reply, with all that belongs to it; its bytes as Latin-1. */
    String read() throws IOException {
        reply.reset();
        readValue();
        return reply.toString(StandardCharsets.ISO_8859_1);
    }

    /** True if the server has closed and nothing more comes. */
    boolean isClosedByServer() throws IOException {
        try {
            return next() < 0;
        } catch (IOException e) {
            return !(e instanceof java.net.SocketTimeoutException);
        }
    }

    private void readValue() throws IOException {
        String line = readLine();
        char type = line.charAt(0);
        switch (type) {
            case '$':
            case '=':
                int length = Integer.parseInt(line.substring(1));
                if (length >= 0) {
                    readBytes(length + 2);
                }
                break;
            case '*':
            case '~':
            case '>':
                for (int i = Integer.parseInt(line.substring(1)); i > 0; i--) {
                    readValue();
                }
                break;
            case '%':
                for (int i = 2 * Integer.parseInt(line.substring(1)); i > 0; i--) {
                    readValue();
                }
                break;
            case '+':
            case '-':
            case ':':
            case ',':
            case '#':
            case '_':
            case '(':
                break;
            default:
                throw new IOException("no RESP: " + line);
        }
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        int b;
        while ((b = next()) != '\n') {
            if (b < 0) {
                throw new EOFException("closed after '" + line + "'");
            }
            reply.write(b);
            line.append((char) b);
        }
        reply.write(b);
        if (line.length() < 2 || line.charAt(line.length() - 1) != '\r') {
            throw new IOException("line without carriage return: " + line);
        }
        return line.substring(0, line.length() - 1);
    }

    private void readBytes(int count) throws IOException {
        for (int left = count; left > 0; ) {
            if (position == limit && next() >= 0) {
                position--;
            }
            if (position == limit) {
                throw new EOFException(left + " bytes of a bulk string are missing");
            }
            int taken = Math.min(left, limit - position);
            reply.write(buffer, position, taken);
            position += taken;
            left -= taken;
        }
    }

    private int next() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(0, in.read(buffer));
            if (limit == 0) {
                return -1;
            }
        }
        return buffer[position++] & 0xFF;
    }

    /** Splits a line into words, with double quotes and backslash escapes. */
    static String[] split(String line) {
        List<String> words = new ArrayList<>();
        int i = 0;
        while (i < line.length()) {
            if (line.charAt(i) == ' ') {
                i++;
                continue;
            }
            StringBuilder word = new StringBuilder();
            boolean quoted = line.charAt(i) == '"';
            if (quoted) {
                i++;
            }
            while (i < line.length() && line.charAt(i) != (quoted ? '"' : ' ')) {
                char c = line.charAt(i++);
                if (c == '\\' && quoted) {
                    c = line.charAt(i++);
                    switch (c) {
                        case 'n':
                            c = '\n';
                            break;
                        case 'r':
                            c = '\r';
                            break;
                        case 'x':
                            c = (char) Integer.parseInt(line.substring(i, i + 2), 16);
                            i += 2;
                            break;
                        default:
                            break;
                    }
                }
                word.append(c);
            }
            if (quoted) {
                i++;
            }
            words.add(word.toString());
        }
        return words.toArray(new String[0]);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
