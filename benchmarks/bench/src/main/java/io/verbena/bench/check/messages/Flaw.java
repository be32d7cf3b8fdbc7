package io.verbena.bench.check.messages;

import java.util.Locale;

/**
 * Something that is wrong.
 *
 * @param kind what
 * @param where node and inbox, or region
 * @param channel by which channel, or what stands for one
 * @param stream number of the stream, 0 if there is none
 * @param number of the message on its stream, or of the call or operation; -1 if there is none
 * @param expected what should have been
 * @param got what was
 */
public record Flaw(FlawKind kind, String where, String channel, int stream, long number, String expected, String got) {
    /** In lines, for who has to find out why. */
    String describe() {
        return String.format(
                Locale.ROOT,
                "  what      %s%n  node      %s%n  channel   %s%n  stream    %d%n  "
                        + "message   %d%n  expected  %s%n  got       %s",
                kind,
                where,
                channel,
                stream,
                number,
                expected,
                got);
    }

    @Override
    public String toString() {
        return kind + " at " + where + ", " + channel + ", stream " + stream + ", number " + number + ": expected "
                + expected + ", got " + got;
    }
}
