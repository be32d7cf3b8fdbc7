package io.verbena.nic.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** What waiting cost since the event before. */
@Name("io.verbena.Wait")
@Label("Wait")
@Description("What waiting at a NIC cost since the event before")
@Category("Verbena")
@Period("1 s")
@StackTrace(false)
final class WaitEvent extends Event {
    @Label("NIC")
    String nic = "";

    @Label("Who")
    @Description("ENGINE: the threads that drive the engines; GUEST: application threads that wait beside them")
    String who = "";

    @Label("Empty Looks")
    long emptyLooks;

    @Label("Sleeps")
    long sleeps;

    @Label("Wake-Ups")
    long wakeUps;
}
