package io.verbena.rate.agent;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A tenant has other rates: {@code io.verbena.RateAllocation}. */
@Name("io.verbena.RateAllocation")
@Label("Rate Allocation")
@Description("The rates of a tenant were computed anew, where a node shares by utility")
@Category("Verbena")
@StackTrace(false)
final class RateAllocationEvent extends Event {
    @Label("Tenant")
    String tenant = "";

    @Label("Epoch")
    long epoch;

    @Label("Requests a Second")
    long requests;

    @Label("Deliveries a Second")
    @Description("0 where they have no rate")
    long deliveries;

    @Label("Price")
    @Description("What another million operations a second costs in utility")
    double price;

    @Label("Gap")
    double gap;

    @Label("Bound")
    @Description("What its requests are bound by")
    String bound = "";

    @Label("Basis")
    @Description("Whose capacities they keep, and why no others")
    String basis = "";
}
