package io.verbena.redis;

import io.verbena.TurnShares;
import java.util.Locale;

/**
 * Clients that share a user name, and with it the proxy's time: where several tenants have commands to execute, each
 * gets a share of them by its utility, {@code weight (x^(1 - alpha) - 1) / (1 - alpha)}, x in millions of commands a
 * second. Shares of tenants of the same alpha stand as {@code weight^(1 / alpha)}: as their weights, by default.
 *
 * @param name that clients give with AUTH or HELLO; {@value #DEFAULT} for those that give none
 * @param weight 1 to {@value #MAX_WEIGHT}
 * @param alpha how much is given up for evenness: above 0, at most {@value #MAX_ALPHA}; 1 by default
 * @param min commands a second that it gets in any case, if it has so many: 0, the default, to {@value #MAX_MIN}
 * @param password that they give; empty: {@code requirepass}, which is always that of the default tenant
 */
public record ProxyTenant(String name, int weight, double alpha, long min, String password) {
    /** The tenant of clients that name no user. */
    public static final String DEFAULT = "default";

    /** Largest weight. */
    public static final int MAX_WEIGHT = 1000;

    /** Largest alpha: rates are equal within a few percent long before. */
    public static final int MAX_ALPHA = 32;

    /** Largest minimum. */
    public static final long MAX_MIN = 1_000_000_000;

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
        if (!(alpha > 0 && alpha <= MAX_ALPHA)) {
            throw new IllegalArgumentException(
                    "tenant " + name + ": alpha " + alpha + " is not above 0 and at most " + MAX_ALPHA);
        }
        if (min < 0 || min > MAX_MIN) {
            throw new IllegalArgumentException("tenant " + name + ": min " + min + " outside 0 to " + MAX_MIN);
        }
        if (name.equals(DEFAULT) && !password.isEmpty()) {
            throw new IllegalArgumentException("tenant default: its password is requirepass");
        }
    }

    /** One of alpha 1, without a minimum. */
    public ProxyTenant(String name, int weight, String password) {
        this(name, weight, 1, 0, password);
    }

    /**
     * Reads one, as in {@code gold:weight=3,alpha=1,min=10k,password=secret}; what is left out is weight 1, alpha 1, no
     * minimum and {@code requirepass}. A minimum may end with {@code k} or {@code m}, for thousands or millions.
     *
     * @throws IllegalArgumentException if it is malformed; says what is wrong
     */
    public static ProxyTenant parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        int weight = 1;
        double alpha = 1;
        long min = 0;
        String password = "";
        String options = colon < 0 ? "" : text.substring(colon + 1);
        for (String option : options.isEmpty() ? new String[0] : options.split(",", -1)) {
            int equals = option.indexOf('=');
            String key = (equals < 0 ? option : option.substring(0, equals)).toLowerCase(Locale.ROOT);
            String value = equals < 0 ? "" : option.substring(equals + 1);
            switch (key) {
                case "weight" -> weight = weight(name, value);
                case "alpha" -> alpha = alpha(name, value);
                case "min" -> min = min(name, value.toLowerCase(Locale.ROOT));
                case "password" -> password = given(name, value);
                default ->
                    throw new IllegalArgumentException("tenant " + name
                            + ": an option is neither weight=3, alpha=1, min=10k nor password=secret "
                            + "(which has no ',')");
            }
        }
        return new ProxyTenant(name, weight, alpha, min, password);
    }

    /** What it is entitled to. */
    TurnShares.Party party() {
        return new TurnShares.Party(weight, alpha, min);
    }

    private static String given(String name, String password) {
        if (password.isEmpty()) {
            throw new IllegalArgumentException(
                    "tenant " + name + ": the password is empty; leave the option out if it is to be requirepass");
        }
        return password;
    }

    private static int weight(String name, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("tenant " + name + ": weight '" + value + "' is not a whole number", e);
        }
    }

    private static double alpha(String name, String value) {
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("tenant " + name + ": alpha '" + value + "' is not a number", e);
        }
    }

    private static long min(String name, String value) {
        long unit = value.endsWith("k") ? 1_000 : value.endsWith("m") ? 1_000_000 : 1;
        try {
            return Math.multiplyExact(Long.parseLong(unit == 1 ? value : value.substring(0, value.length() - 1)), unit);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "tenant " + name + ": min '" + value + "' is not a number of commands a second, as in 10k", e);
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return name + ":weight=" + weight + ",alpha=" + alpha + ",min=" + min;
    }
}
