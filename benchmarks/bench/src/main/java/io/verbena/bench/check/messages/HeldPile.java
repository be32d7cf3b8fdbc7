package io.verbena.bench.check.messages;

import io.verbena.HeldMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Messages that are held by one thread and released by another, in another order; what they hold must not change. */
final class HeldPile {
    private static final int KEPT = 64;

    private record Held(HeldMessage message, long identity, int length) {}

    private final String node;
    private final MessageContent content;
    private final Findings findings;
    private final ConcurrentLinkedQueue<Held> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicLong total = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private final List<Held> pile = new ArrayList<>(); // the releasing thread's

    HeldPile(String node, MessageContent content, Findings findings) {
        this.node = node;
        this.content = content;
        this.findings = findings;
    }

    /** Takes a message that is held, if it is. Any thread. */
    void add(@Nullable HeldMessage message, long identity) {
        if (message != null) {
            total.incrementAndGet();
            arrived.add(new Held(message, identity, message.length()));
        }
    }

    /** Releases some. @return how many */
    int release(SplittableRandom random) {
        for (Held next = arrived.poll(); next != null; next = arrived.poll()) {
            pile.add(next);
        }
        int count = 0;
        int most = pile.size() > KEPT ? pile.size() - KEPT : random.nextInt(64) == 0 ? 1 : 0;
        while (count < most && !pile.isEmpty()) {
            int at = random.nextInt(pile.size());
            Held last = pile.remove(pile.size() - 1);
            release(at == pile.size() ? last : pile.set(at, last));
            count++;
        }
        return count;
    }

    /** Releases all. */
    void releaseAll() {
        for (Held next = arrived.poll(); next != null; next = arrived.poll()) {
            pile.add(next);
        }
        pile.forEach(this::release);
        pile.clear();
    }

    private void release(Held held) {
        HeldMessage m = held.message();
        int different = m.length() == held.length()
                ? content.firstDifference(m.buffer(), m.offset(), held.identity(), held.length())
                : 0;
        if (different >= 0) {
            findings.report(new Flaw(
                    FlawKind.TORN,
                    "node '" + node + "', a message held of " + HubInbox.named(MessageContent.place(held.identity())),
                    String.valueOf(m.channel()),
                    MessageContent.stream(held.identity()),
                    MessageContent.number(held.identity()),
                    held.length() + " bytes as they came",
                    m.length() + " bytes, other content from byte " + different + " on"));
        }
        m.release();
        released.incrementAndGet();
    }

    /** Messages that were held so far. */
    long total() {
        return total.get();
    }

    /** Messages that are held. */
    long size() {
        return total.get() - released.get();
    }
}
