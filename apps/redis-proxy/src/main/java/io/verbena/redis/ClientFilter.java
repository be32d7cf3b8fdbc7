package io.verbena.redis;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which clients CLIENT KILL means: those that fit all its conditions. */
final class ClientFilter {
    private @Nullable String address;
    private @Nullable String localAddress;
    private @Nullable String user;
    private long id;
    private boolean noneOfType;
    private boolean skipMe = true;

    /** Adds a condition; returns what is wrong with it, or null. */
    @Nullable
    String add(String name, String value) {
        switch (name.toLowerCase(Locale.ROOT)) {
            case "id":
                try {
                    id = Long.parseLong(value);
                } catch (NumberFormatException e) {
                    id = 0;
                }
                return id > 0 ? null : "ERR client-id should be greater than 0";
            case "addr":
                address = value;
                return null;
            case "laddr":
                localAddress = value;
                return null;
            case "user":
                user = value;
                return value.equals("default") ? null : "ERR No such user '" + value + "'";
            case "type":
                // All clients here are normal ones.
                switch (value.toLowerCase(Locale.ROOT)) {
                    case "normal":
                        return null;
                    case "master":
                    case "slave":
                    case "replica":
                    case "pubsub":
                        noneOfType = true;
                        return null;
                    default:
                        return "ERR Unknown client type '" + value + "'";
                }
            case "skipme":
                if (value.equalsIgnoreCase("yes") || value.equalsIgnoreCase("no")) {
                    skipMe = value.equalsIgnoreCase("yes");
                    return null;
                }
                return "ERR syntax error";
            default:
                return "ERR syntax error";
        }
    }

    /** Tells whether the client that asks is spared. */
    boolean skipsMe() {
        return skipMe;
    }

    boolean matches(ClientSession session) {
        return !noneOfType
                && (id == 0 || session.id() == id)
                && (address == null || address.equals(session.address()))
                && (localAddress == null || localAddress.equals(session.localAddress()))
                && (user == null || user.equals(session.user()));
    }
}
