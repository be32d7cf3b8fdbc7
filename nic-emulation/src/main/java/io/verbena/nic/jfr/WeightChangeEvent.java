package io.verbena.nic.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The weight of a group was changed. */
@Name("io.verbena.WeightChange")
@Label("Weight Change")
@Description("The weight of a group was changed")
@Category("Verbena")
final class WeightChangeEvent extends Event {
    @Label("NIC")
    String nic = "";

    @Label("Group")
    String group = "";

    @Label("Before")
    int before;

    @Label("After")
    int after;
}
