package io.verbena.bench.check.messages;

import io.verbena.bench.check.messages.StreamCheck.Verdict;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** What has arrived at a node: judges each message, and knows how many of each stream there were. Thread-safe. */
final class NodeArrivals {
    private final String node;
    private final MessageContent content;
    private final Findings findings;
    private final Map<Integer, StreamCheck> streams = new ConcurrentHashMap<>();
    private final LongAdder messages = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    NodeArrivals(String node, MessageContent content, Findings findings) {
        this.node = node;
        this.content = content;
        this.findings = findings;
    }

    /**
     * Judges a message.
     *
     * @param place where it has come to
     * @param consumer which of several took it, 0 if there is one
     * @param channel by which it came, or null if that is not known any more
     * @return its identity, or -1 if it is wrong, which has been reported
     */
    long accept(
            HubInbox place,
            int consumer,
            @Nullable Object channel,
            DirectBuffer buffer,
            int offset,
            int length,
            int immediate) {
        messages.increment();
        bytes.add(length);
        long identity = identity(place, buffer, offset, length, immediate);
        int stream = MessageContent.stream(identity);
        int different = content.firstDifference(buffer, offset, identity, length);
        if (different >= 0) {
            // Garbage names any place: what differs says more.
            String got = "other content from byte " + different + " on: " + bytes(buffer, offset, different, length);
            return wrong(FlawKind.TORN, place, channel, identity, "content of " + length + " bytes", got);
        }
        if (MessageContent.place(identity) != place.code()) {
            String to = "a message to " + HubInbox.named(MessageContent.place(identity));
            return wrong(FlawKind.MISDELIVERED, place, channel, identity, "messages to " + place, to);
        }
        if (immediate != 0 && immediate != MessageContent.immediate(identity)) {
            String got = "other bits, " + immediate;
            return wrong(FlawKind.TORN, place, channel, identity, "its own 32 bits beside it or none", got);
        }
        StreamCheck check = check(place, stream);
        if (channel != null && !check.isFrom(channel)) {
            return wrong(FlawKind.MISDELIVERED, place, channel, identity, "the stream's channel", "another channel");
        }
        Verdict verdict = check.accept(consumer, MessageContent.number(identity));
        if (verdict != null) {
            report(place, channel, stream, verdict);
            return -1;
        }
        return identity;
    }

    private long identity(HubInbox place, DirectBuffer buffer, int offset, int length, int immediate) {
        if (length >= MessageContent.IDENTITY_LENGTH) {
            return MessageContent.identity(buffer, offset);
        }
        int stream = MessageContent.streamOfImmediate(immediate);
        long expected = check(place, stream).expected();
        return MessageContent.identity(place.code(), stream, MessageContent.numberOfImmediate(immediate, expected));
    }

    private StreamCheck check(HubInbox place, int stream) {
        StreamCheck known = streams.get(stream);
        return known != null ? known : streams.computeIfAbsent(stream, s -> new StreamCheck(place.isOrdered()));
    }

    private long wrong(
            FlawKind kind, HubInbox place, @Nullable Object channel, long identity, String expected, String got) {
        int stream = MessageContent.stream(identity);
        report(place, channel, stream, new Verdict(kind, MessageContent.number(identity), expected, got));
        return -1;
    }

    private void report(HubInbox place, @Nullable Object channel, int stream, Verdict v) {
        findings.report(new Flaw(
                v.kind(),
                "node '" + node + "', " + place,
                channel == null ? "a channel that is over" : channel.toString(),
                stream,
                v.number(),
                v.expected(),
                v.got()));
    }

    private static String bytes(DirectBuffer buffer, int offset, int from, int length) {
        StringBuilder text = new StringBuilder();
        int first = from & ~7;
        for (int i = first; i < Math.min(length, first + 16); i++) {
            text.append(String.format("%02x", buffer.getByte(offset + i)));
        }
        return text.toString();
    }

    /** Messages of a stream that came. */
    long received(int stream) {
        StreamCheck check = streams.get(stream);
        return check == null ? 0 : check.received();
    }

    /** Reports what is missing of a stream of which so many messages were sent. */
    void finish(HubInbox place, int stream, long sent) {
        Verdict verdict = check(place, stream).finish(sent);
        if (verdict != null) {
            report(place, null, stream, verdict);
        }
    }

    /** Forgets streams of which nothing comes any more. */
    void forget(int first, int count) {
        for (int stream = first; stream < first + count; stream++) {
            streams.remove(stream);
        }
    }

    /** Reports gaps in all streams. */
    void finishAll() {
        streams.forEach((stream, check) -> {
            Verdict verdict = check.finish(0);
            if (verdict != null) {
                report(HubInbox.SINK, null, stream, verdict);
            }
        });
    }

    long messages() {
        return messages.sum();
    }

    long bytes() {
        return bytes.sum();
    }
}
