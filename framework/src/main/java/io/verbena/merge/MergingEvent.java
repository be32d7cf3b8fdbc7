package io.verbena.merge;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** What a tenant's merging regions did since the event before: {@code io.verbena.Merging}. */
@Name("io.verbena.Merging")
@Label("Merging")
@Description("What the merging regions of a tenant did since the event before, and what is under way")
@Category("Verbena")
@Period("1 s")
@StackTrace(false)
final class MergingEvent extends Event {
    @Label("Node")
    String node = "";

    @Label("Tenant")
    String tenant = "";

    @Label("Operations")
    long operations;

    @Label("Work Requests")
    long workRequests;

    @Label("Doorbells")
    long doorbells;

    @Label("Merged")
    @Description("Operations that shared a work request with others")
    long merged;

    @Label("Chained")
    @Description("Work requests that shared a doorbell with an earlier one")
    long chained;

    @Label("Waited")
    @Description("Operations that had to wait because the window was full")
    long waited;

    @Label("Refused")
    @Description("Callers told not now: too many operations had not ended")
    long refused;

    @Label("Bytes in Flight")
    @DataAmount(DataAmount.BYTES)
    long bytesInFlight;

    @Label("Window")
    @Description("Bytes that may be under way, to all nodes")
    @DataAmount(DataAmount.BYTES)
    long window;
}
