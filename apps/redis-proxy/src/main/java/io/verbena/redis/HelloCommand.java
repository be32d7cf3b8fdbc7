package io.verbena.redis;

import io.verbena.redis.resp.RespWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** HELLO and AUTH. For one worker's thread. */
final class HelloCommand {
    static final String BAD_NAME = "ERR Client names cannot contain spaces, newlines or special characters.";
    private static final int NOBODY = -1;
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
        } else {
            int tenant = arguments.count() == 2 ? tenant(null, arguments, 1) : tenant(arguments.text(1), arguments, 2);
            if (tenant == NOBODY) {
                out.error(WRONG_PASSWORD);
                return;
            }
            enter(connection, tenant);
            out.ok();
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
        int tenant = session.tenant();
        while (next < arguments.count()) {
            if (arguments.is(next, "auth") && next + 2 < arguments.count()) {
                tenant = tenant(arguments.text(next + 1), arguments, next + 2);
                if (tenant == NOBODY) {
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
        enter(connection, tenant);
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

    private void enter(ClientConnection connection, int tenant) {
        connection.session().tenant(tenant, settings.context().tenants().get(tenant));
        connection.authenticated(true);
    }

    /**
     * The number of the tenant that a user is, null for the default one, if the password at an index is right. Without
     * a password the default user may come with any, as in Redis.
     */
    private int tenant(@Nullable String user, Arguments arguments, int index) {
        List<ProxyTenant> tenants = settings.context().tenants();
        for (int i = 0; i < tenants.size(); i++) {
            ProxyTenant each = tenants.get(i);
            if (each.name().equals(user == null ? ProxyTenant.DEFAULT : user)) {
                return isPassword(each, arguments.bytes(index)) ? i : NOBODY;
            }
        }
        return NOBODY;
    }

    /** Of a tenant that has none of its own it is that of all. */
    private boolean isPassword(ProxyTenant tenant, byte[] given) {
        String password = tenant.password().isEmpty() ? settings.password() : tenant.password();
        return password.isEmpty() || MessageDigest.isEqual(password.getBytes(StandardCharsets.UTF_8), given);
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
