package io.verbena.redis;

import io.verbena.redis.resp.RespWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** HELLO and AUTH. For one worker's thread. */
final class HelloCommand {
    static final String BAD_NAME = "ERR Client names cannot contain spaces, newlines or special characters.";
    private static final String WRONG_PASSWORD = "WRONGPASS invalid username-password pair or user is disabled.";

    private final Settings settings;

    HelloCommand(Settings settings) {
        this.settings = settings;
    }

    void auth(ClientConnection connection, Arguments arguments, RespWriter out) {
        if (arguments.count() > 3) {
            out.error("ERR syntax error");
        } else if (arguments.count() == 2 && settings.password().isEmpty()) {
            out.error(
                    "ERR AUTH <password> called without any password configured for the default user. Are you sure your"
                            + " configuration is correct?");
        } else if (arguments.count() == 2 ? isRight(arguments, 1) : isUser(arguments, 1) && isRight(arguments, 2)) {
            connection.authenticated(true);
            out.ok();
        } else {
            out.error(WRONG_PASSWORD);
        }
    }

    void hello(ClientConnection connection, Arguments arguments, RespWriter out) {
        ClientSession session = connection.session();
        int protocol = session.protocol();
        int next = 1;
        if (arguments.count() > 1) {
            long version = arguments.integer(1, Long.MIN_VALUE);
            if (version == Long.MIN_VALUE) {
                out.error("ERR Protocol version is not an integer or out of range");
                return;
            }
            if (version != 2 && version != 3) {
                out.error("NOPROTO unsupported protocol version");
                return;
            }
            protocol = (int) version;
            next = 2;
        }
        String name = null;
        boolean authenticated = session.isAuthenticated();
        while (next < arguments.count()) {
            if (arguments.is(next, "auth") && next + 2 < arguments.count()) {
                if (!isUser(arguments, next + 1) || !isRight(arguments, next + 2)) {
                    out.error(WRONG_PASSWORD);
                    return;
                }
                authenticated = true;
                next += 3;
            } else if (arguments.is(next, "setname") && next + 1 < arguments.count()) {
                name = arguments.text(next + 1);
                if (!isName(name)) {
                    out.error(BAD_NAME);
                    return;
                }
                next += 2;
            } else {
                out.error("ERR Syntax error in HELLO option '" + arguments.quoted(next, 128) + "'");
                return;
            }
        }
        if (!authenticated) {
            out.error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH"
                    + " <user> <pass> option can be used to authenticate the client and select the RESP protocol"
                    + " version at the same time");
            return;
        }
        connection.authenticated(true);
        if (name != null) {
            session.name(name);
        }
        session.protocol(protocol);
        greet(session, out.protocol(protocol));
    }

    private static void greet(ClientSession session, RespWriter out) {
        out.map(7);
        out.bulk("server");
        out.bulk("redis");
        out.bulk("version");
        out.bulk(ServerVersion.REDIS);
        out.bulk("proto");
        out.integer(session.protocol());
        out.bulk("id");
        out.integer(session.id());
        out.bulk("mode");
        out.bulk("standalone");
        out.bulk("role");
        out.bulk("master");
        out.bulk("modules");
        out.array(0);
    }

    /** Without a password the default user may come with any, as in Redis. */
    private boolean isRight(Arguments arguments, int index) {
        String password = settings.password();
        return password.isEmpty()
                || MessageDigest.isEqual(password.getBytes(StandardCharsets.UTF_8), arguments.bytes(index));
    }

    private static boolean isUser(Arguments arguments, int index) {
        return arguments.text(index).equals("default");
    }

    /** Tells whether a name can stand in CLIENT LIST. */
    static boolean isName(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < '!' || name.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }
}
