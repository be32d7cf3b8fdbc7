package io.verbena.nic.arbiter;

/**
 * How soon a flow's messages are served. The class never changes a group's share: what is sent early is paid for as
 * well.
 */
public enum TrafficClass {
    /** In turn, by weight. */
    BULK,
    /** Before bulk, for messages that are short, within the bounds that the group's urgent traffic has. */
    URGENT
}
