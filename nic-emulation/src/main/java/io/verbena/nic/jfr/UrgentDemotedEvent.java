package io.verbena.nic.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Urgent traffic of a group was served as bulk, for there was too much of it. At most one a second and group. */
@Name("io.verbena.UrgentDemoted")
@Label("Urgent Demoted")
@Description("Urgent traffic of a group was above its bound and served as bulk")
@Category("Verbena")
@StackTrace(false)
final class UrgentDemotedEvent extends Event {
    @Label("NIC")
    String nic = "";

    @Label("Group")
    String group = "";

    @Label("Visits")
    @Description("In the second before")
    long visits;
}
