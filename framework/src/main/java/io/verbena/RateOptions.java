package io.verbena;

import io.verbena.fabric.Nanos;
import io.verbena.rate.agent.RateSettings;
import java.time.Duration;

/**
 * How a node shares its operations among its tenants by their utilities ({@link NodeContext#rates}): fluent setters
 * over defaults. Mutable; not thread-safe.
 *
 * <p>After DRUM (distributed RDMA network utility maximisation, TNET 2023, problem (6)), with linear capacities.
 */
public final class RateOptions {
    /** Least capacity, operations or messages a second. */
    public static final double MIN_CAPACITY = 1_000;

    private static final Duration MIN_EPOCH = Duration.ofMillis(1);
    private static final Duration MAX_EPOCH = Duration.ofMillis(10);

    private static final double MAX_CAPACITY = 1e9;
    private static final double MAX_MARGIN = 0.5;

    private Duration epoch = Duration.ofMillis(5);
    private double requests;
    private double completions;
    private double margin = 0.05;
    private boolean isTwoSided;

    /** Creates the defaults: epochs of 5 ms, a measured capacity, deliveries without a rate, a margin of 5 %. */
    public RateOptions() {}

    /** How often rates are computed, 1 to 10 ms; default 5 ms. */
    public RateOptions epoch(Duration length) {
        if (length.compareTo(MIN_EPOCH) < 0 || length.compareTo(MAX_EPOCH) > 0) {
            throw new IllegalArgumentException("epoch " + length + " outside " + MIN_EPOCH + ".." + MAX_EPOCH);
        }
        epoch = length;
        return this;
    }

    /**
     * Operations a second that the node's NIC takes, requests and answers, 1,000 to 10^9. By default it is measured:
     * what the NIC sends while several tenants wait for it.
     */
    public RateOptions requests(double perSecond) {
        requests = range("requests", perSecond, MIN_CAPACITY, MAX_CAPACITY);
        return this;
    }

    /**
     * Messages a second that the node's inboxes deliver together, 1,000 to 10^9: what its handlers can take. By default
     * deliveries have no rate.
     */
    public RateOptions completions(double perSecond) {
        completions = range("completions", perSecond, MIN_CAPACITY, MAX_CAPACITY);
        return this;
    }

    /** Part of both capacities that no tenant gets, 0 to 0.5; default 0.05. */
    public RateOptions margin(double part) {
        margin = range("margin", part, 0, MAX_MARGIN);
        return this;
    }

    /**
     * Whether nodes agree on what they send to each other; default false. A node then bounds what its tenants send also
     * by what the nodes that they send to can deliver, which those share by the utilities of all tenants that send to
     * them. Both ends need it; {@link #completions} says what a node can deliver. What is sent to a node without it, or
     * to one that does not answer, is bounded by this node alone.
     */
    public RateOptions twoSided(boolean wanted) {
        isTwoSided = wanted;
        return this;
    }

    RateSettings settings() {
        return new RateSettings(Nanos.of(epoch), requests, completions, margin, isTwoSided);
    }

    private static double range(String what, double value, double minimum, double maximum) {
        if (!(value >= minimum && value <= maximum)) {
            throw new IllegalArgumentException(what + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }
}
