package io.verbena.nic.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** What a group got and was entitled to since the event before. */
@Name("io.verbena.GroupShare")
@Label("Group Share")
@Description("What a group of a NIC got and was entitled to since the event before")
@Category("Verbena")
@Period("1 s")
@StackTrace(false)
final class GroupShareEvent extends Event {
    @Label("NIC")
    String nic = "";

    @Label("Group")
    String group = "";

    @Label("Weight")
    int weight;

    @Label("Bytes")
    @DataAmount(DataAmount.BYTES)
    long bytes;

    @Label("Messages")
    long messages;

    @Label("Share")
    @Description("Of what all groups were charged")
    @Percentage
    double share;

    @Label("Entitlement")
    @Description("Of the same, by the weights of those that had work")
    @Percentage
    double entitlement;

    @Label("Time With Work")
    @Timespan(Timespan.NANOSECONDS)
    long backlogged;

    @Label("99th Percentile Of Delay")
    @Description("Between having work and being served")
    @Timespan(Timespan.NANOSECONDS)
    long delay99;

    @Label("Refused For The Window")
    @Description("Senders told not now: all that a channel may keep waited for acknowledgements")
    long refusedForWindow;

    @Label("Refused For The Link")
    @Description("Senders told not now: work waited for its turn on the link")
    long refusedForLink;

    @Label("Refused For The Receiver")
    @Description("Senders told not now: the peer's inbox was full")
    long refusedForReceiver;

    @Label("Refused For The Ceiling")
    @Description("Senders told not now: work waited for the group's own ceiling")
    long refusedForCeiling;

    @Label("Operation Rate")
    @Description("Operations a second that the group may send where rates are shared by utility; 0: no bound")
    long operationRate;

    @Label("Held by Rate")
    @Description("Times that its rate of operations held it while it had something to send")
    long heldByRate;
}
