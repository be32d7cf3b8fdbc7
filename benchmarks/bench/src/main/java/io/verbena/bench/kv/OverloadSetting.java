package io.verbena.bench.kv;

/** How the two tenants of {@link OverloadNode} share what they use. */
enum OverloadSetting {
    /** They do not: both are the default tenant, of the node and of the server. */
    RAW("raw", false),
    /** Tenants of the same weight, of the node and of the server. */
    WEIGHTS("weights", true),
    /** The same, and rates of requests by utility, with a part of what the server can do as the capacity. */
    RATES("rates", true),
    /** The same with a capacity that the node measures. */
    MEASURED("rates, measured", true);

    final String title;
    final boolean hasTenants;

    OverloadSetting(String title, boolean hasTenants) {
        this.title = title;
        this.hasTenants = hasTenants;
    }
}
