package io.verbena.redis;

import java.util.Locale;

/**
 * Clients that share a user name, and with it the proxy's time: where several tenants have commands to execute, each
 * gets a share proportional to its weight.
 *
 * @param name that clients give with AUTH or HELLO; {@value #DEFAULT} for those that give none
 * @param weight 1 to {@value #MAX_WEIGHT}
 * @param password that they give; empty: {@code requirepass}, which is always that of the default tenant
 */
public record ProxyTenant(String name, int weight, String password) {
    /** The tenant of clients that name no user. */
    public static final String DEFAULT = "default";

    /** Largest weight. */
    public static final int MAX_WEIGHT = 1000;

    private static final int MAX_NAME = 64;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of its range; names both values
     */
    public ProxyTenant {
        if (name.isEmpty() || name.length() > MAX_NAME || !HelloCommand.isName(name) || name.matches(".*[:,=].*")) {
            throw new IllegalArgumentException("tenant '" + name + "': a name has 1 to " + MAX_NAME
                    + " visible ASCII characters, without ':', ',' and '='");
        }
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException("tenant " + name + ": weight " + weight + " outside 1 to " + MAX_WEIGHT);
        }
        if (name.equals(DEFAULT) && !password.isEmpty()) {
            throw new IllegalArgumentException("tenant default: its password is requirepass");
        }
    }

    /**
     * Reads one, as in {@code gold:weight=3,password=secret}; what is left out is weight 1 and {@code requirepass}.
     *
     * @throws IllegalArgumentException if it is malformed; says what is wrong
     */
    public static ProxyTenant parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        int weight = 1;
        String password = "";
        String options = colon < 0 ? "" : text.substring(colon + 1);
        for (String option : options.isEmpty() ? new String[0] : options.split(",", -1)) {
            int equals = option.indexOf('=');
            String key = (equals < 0 ? option : option.substring(0, equals)).toLowerCase(Locale.ROOT);
            String value = equals < 0 ? "" : option.substring(equals + 1);
            switch (key) {
                case "weight" -> weight = number(name, value);
                case "password" -> password = given(name, value);
                default ->
                    throw new IllegalArgumentException("tenant " + name
                            + ": an option is neither weight=3 nor password=secret (which has no ',')");
            }
        }
        return new ProxyTenant(name, weight, password);
    }

    private static String given(String name, String password) {
        if (password.isEmpty()) {
            throw new IllegalArgumentException(
                    "tenant " + name + ": the password is empty; leave the option out if it is to be requirepass");
        }
        return password;
    }

    private static int number(String name, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("tenant " + name + ": weight '" + value + "' is not a whole number", e);
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return name + ":weight=" + weight;
    }
}
