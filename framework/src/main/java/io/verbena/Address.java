package io.verbena;

import io.verbena.connection.NodeName;
import org.jspecify.annotations.Nullable;

/**
 * The address of a node, or of something named on it.
 *
 * <pre>
 *   local:orders/echo              node "orders" of this process, inbox "echo"
 *   shm:orders/echo                the same in another process of this user and host
 *   tcp://10.0.0.7:9000/echo       over TCP; an IPv6 host in brackets
 *   uds:/run/orders.sock/echo      over a Unix-domain socket
 * </pre>
 *
 * <p>To listen, the name is left out.
 *
 * @param scheme how to get there
 * @param target node name, {@code host:port}, or path of a socket
 * @param name of the inbox or region, or null
 */
public record Address(
        Scheme scheme, String target, @Nullable String name) {
    /** How a peer is reached. */
    public enum Scheme {
        /** In the same process. */
        LOCAL("local:"),
        /** Shared memory on the same host. */
        SHM("shm:"),
        /** TCP. */
        TCP("tcp://"),
        /** A Unix-domain socket. */
        UDS("uds:");

        private final String prefix;

        Scheme(String prefix) {
            this.prefix = prefix;
        }
    }

    private static final int MAX_PORT = 65535;
    static final int MAX_NAME = 255;

    /**
     * Parses the address of something named.
     *
     * @throws IllegalArgumentException if it is malformed; says what is wrong and what it should look like
     */
    public static Address parse(String text) {
        Scheme scheme = scheme(text);
        String rest = text.substring(scheme.prefix.length());
        int slash = rest.lastIndexOf('/');
        if (slash <= 0 || slash == rest.length() - 1) {
            throw malformed(text, "it lacks a name: " + scheme.prefix + example(scheme) + "/<name>");
        }
        return new Address(scheme, checkTarget(text, scheme, rest.substring(0, slash)), rest.substring(slash + 1));
    }

    /**
     * Parses an address to listen on, which has no name.
     *
     * @throws IllegalArgumentException if it is malformed; says what is wrong and what it should look like
     */
    public static Address parseListen(String text) {
        Scheme scheme = scheme(text);
        String rest = text.substring(scheme.prefix.length());
        return new Address(scheme, checkTarget(text, scheme, rest), null);
    }

    /** The same node, with the name of something on it. */
    public Address withName(String newName) {
        return new Address(scheme, target, newName);
    }

    private static Scheme scheme(String text) {
        for (Scheme scheme : Scheme.values()) {
            if (text.startsWith(scheme.prefix)) {
                return scheme;
            }
        }
        throw malformed(text, "its scheme is not one of local:, shm:, tcp://, uds:");
    }

    private static String checkTarget(String text, Scheme scheme, String target) {
        if (target.isEmpty()) {
            throw malformed(text, "it names no target: " + scheme.prefix + example(scheme));
        }
        switch (scheme) {
            case TCP:
                port(text, target);
                break;
            case UDS:
                if (target.charAt(0) != '/') {
                    throw malformed(text, "a socket's path begins with /, as in uds:/run/orders.sock");
                }
                break;
            default:
                checkNodeName(target);
        }
        return target;
    }

    /** Refuses a name that a node cannot have. */
    static String checkNodeName(String name) {
        if (!NodeName.isValid(name)) {
            throw new IllegalArgumentException(
                    "node name '" + name + "' is not 1 to 64 letters, digits, '.', '_' and '-', the first not '.'");
        }
        return name;
    }

    /** Refuses a name that an inbox or region cannot have. */
    static String checkName(String name) {
        if (name.isEmpty() || name.length() > MAX_NAME || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "name '" + name + "' is not 1 to " + MAX_NAME + " characters without '/'");
        }
        return name;
    }

    private static int port(String text, String target) {
        int colon = target.lastIndexOf(':');
        if (colon <= 0 || target.indexOf('/') >= 0) {
            throw malformed(text, "it is not tcp://host:port");
        }
        try {
            int port = Integer.parseInt(target.substring(colon + 1));
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw malformed(text, "its port '" + target.substring(colon + 1) + "' is not a number");
        }
        throw malformed(text, "its port is outside 0.." + MAX_PORT);
    }

    private static String example(Scheme scheme) {
        switch (scheme) {
            case TCP:
                return "<host>:<port>";
            case UDS:
                return "/<path>";
            default:
                return "<node>";
        }
    }

    private static IllegalArgumentException malformed(String text, String reason) {
        return new IllegalArgumentException("address '" + text + "' is malformed: " + reason);
    }

    @Override
    public String toString() {
        return scheme.prefix + target + (name == null ? "" : "/" + name);
    }
}
