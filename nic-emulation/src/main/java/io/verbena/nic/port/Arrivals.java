package io.verbena.nic.port;

/**
 * Where a link says that something has come, so that an engine with many links need not ask each of them. Any thread.
 */
public interface Arrivals {
    /**
     * A packet has come on a link of this side, or the link's state has changed. What is told of was made visible
     * before; a full fence is part of the call.
     *
     * @param number of the link, see {@link Link#announceTo}
     */
    void arrived(int number);
}
