package io.verbena.bench.check.messages;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.Inbox;
import io.verbena.InboxConsumer;
import io.verbena.InboxOptions;
import io.verbena.Message;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.SharedRegion;
import io.verbena.TenantOptions;
import io.verbena.verification.Waits;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The node that clients talk to, with an inbox for each {@link HubInbox}, responders and a region. A thread of its own
 * polls what is polled, releases what is held, answers what is answered later, and in the mode INVOKER drives the node;
 * another is the second of several consumers.
 */
final class Hub implements AutoCloseable {
    private static final int SMALL_MAX = 16 << 10;
    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final long SLOW_NANOS = 20_000_000;
    private static final long BRIEF_NANOS = 150_000_000;
    private static final long JOIN_MILLIS = 20_000;

    private final NodeMode mode;
    private final Findings findings;
    private final NodeArrivals arrivals;
    private final Entrance entrance;
    private final SplittableRandom random;
    private final HeldPile held;
    private final Echoes echoes = new Echoes();
    private final Answers answers;
    private final Node node;
    private final String address;
    private final NestedActions nested;
    private final Inbox[] inboxes = new Inbox[HubInbox.values().length];
    private final SharedRegion table;
    private final Thread driver;
    private final Thread second;
    private final InboxConsumer[] consumers = new InboxConsumer[StreamCheck.CONSUMERS];
    private @Nullable BriefInbox brief;
    private long nextSmall;
    private long nextBrief;
    private volatile boolean stopped;

    /** Launches a hub; its threads run when this returns. */
    Hub(
            String name,
            FabricPlace place,
            NodeMode mode,
            int maxLength,
            MessageContent content,
            Findings findings,
            long seed) {
        this.mode = mode;
        this.findings = findings;
        this.random = new SplittableRandom(seed);
        this.arrivals = new NodeArrivals(name, content, findings);
        this.entrance = new Entrance(name, findings);
        this.held = new HeldPile(name, content, findings);
        this.answers = new Answers(content, arrivals, entrance, random.split());
        this.node = Node.launch(place.context()
                .name(name)
                .mode(mode)
                .sendDepth(16 << random.nextInt(5))
                .stagingLength(64 << 10 << random.nextInt(4))
                .peerTimeout(Duration.ofSeconds(3))
                .linger(Duration.ofSeconds(10))
                .tenant(new TenantOptions().name("gold").weight(3)));
        try {
            this.address = place.listen(node);
            this.nested = new NestedActions(node, entrance, random.split());
            this.table = node.share(SharedRegionLayout.NAME, SharedRegionLayout.LENGTH);
            openInboxes(maxLength);
            answers.open(node);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        this.driver = new FastThreadLocalThread(this::drive, name + "-driver");
        this.second = new FastThreadLocalThread(this::consume, name + "-consumer");
        driver.start();
        second.start();
    }

    private void openInboxes(int maxLength) {
        InboxOptions large = large(maxLength);
        open(HubInbox.SINK, large).onMessage(m -> entrance.enter("the callback of " + HubInbox.SINK, () -> take(m)));
        open(HubInbox.POLLED, large(maxLength).chunkLength(1 << 20));
        Inbox several = open(HubInbox.CONSUMERS, large(maxLength));
        for (int i = 0; i < consumers.length; i++) {
            consumers[i] = several.consumer();
        }
        open(
                HubInbox.SMALL,
                new InboxOptions()
                        .chunkLength(64 << 10)
                        .reserveChunks(1)
                        .maxMessage(SMALL_MAX)
                        .memoryLimit(256 << 10));
        open(HubInbox.HOLD, large(maxLength).maxHeld(256))
                .onMessage(m -> entrance.enter("the callback of " + HubInbox.HOLD, () -> hold(m)));
        open(HubInbox.ECHO, large(maxLength).tenant("gold"))
                .onMessage(m -> entrance.enter("the callback of " + HubInbox.ECHO, () -> echo(m)));
        open(HubInbox.NESTED, new InboxOptions().maxMessage(64 << 10))
                .onMessage(m -> entrance.enter("the callback of " + HubInbox.NESTED, () -> {
                    if (take(m) >= 0) {
                        nested.act();
                    }
                }));
    }

    private static InboxOptions large(int maxLength) {
        return new InboxOptions().chunkLength(256 << 10).maxMessage(maxLength).memoryLimit(3L * maxLength + (16 << 20));
    }

    private Inbox open(HubInbox place, InboxOptions options) {
        Inbox inbox = node.openInbox(place.inbox(), options);
        inboxes[place.ordinal()] = inbox;
        return inbox;
    }

    private Inbox inbox(HubInbox place) {
        return inboxes[place.ordinal()];
    }

    // ---- messages ---------------------------------------------------------------------------------------------------

    private long take(Message m) {
        return take(HubInbox.valueOf(m.inbox().name().toUpperCase(Locale.ROOT)), 0, m);
    }

    private long take(HubInbox place, int consumer, Message m) {
        return arrivals.accept(place, consumer, m.channel(), m.buffer(), m.offset(), m.length(), m.immediate());
    }

    private void hold(Message m) {
        long identity = take(HubInbox.HOLD, 0, m);
        if (identity >= 0 && (identity & 3) == 0) {
            held.add(m.hold(), identity);
        }
    }

    private void echo(Message m) {
        if (m.length() == 0) { // whoever waits for echoes lets those be tried again that found no room
            echoes.retry();
        } else if (take(HubInbox.ECHO, 0, m) >= 0) {
            echoes.send(m);
        }
    }

    private int consume(int consumer) {
        return consumers[consumer].poll(
                m -> {
                    long identity = take(HubInbox.CONSUMERS, consumer, m);
                    if (identity >= 0 && (identity & 15) == 0) {
                        held.add(m.hold(), identity);
                    }
                },
                64);
    }

    // ---- threads ----------------------------------------------------------------------------------------------------

    private void drive() {
        try {
            while (!stopped) {
                int work = node.doWork();
                work += inbox(HubInbox.POLLED)
                        .poll(
                                m -> entrance.enter(
                                        "the handler of " + HubInbox.POLLED, () -> take(HubInbox.POLLED, 0, m)),
                                64);
                work += consume(0);
                work += held.release(random);
                work += answers.work();
                work += now();
                if (work == 0) {
                    rest();
                }
            }
        } catch (RuntimeException | Error e) {
            findings.report("node '" + node.name() + "', its driver", e);
        } finally {
            end();
        }
    }

    private int now() {
        long now = System.nanoTime();
        if (now - nextBrief > 0) {
            nextBrief = now + BRIEF_NANOS;
            renewBrief();
        }
        if (now - nextSmall > 0) {
            nextSmall = now + SLOW_NANOS;
            return inbox(HubInbox.SMALL).poll(m -> take(HubInbox.SMALL, 0, m), 256);
        }
        return 0;
    }

    private void renewBrief() {
        BriefInbox old = brief;
        if (old != null) {
            old.close();
        }
        brief = new BriefInbox(node, findings);
    }

    private void rest() {
        if (mode == NodeMode.INVOKER) {
            node.await(NAP);
        } else {
            inbox(HubInbox.POLLED).await(NAP);
        }
    }

    private void consume() {
        try {
            while (!stopped) {
                if (consume(1) == 0) {
                    LockSupport.parkNanos(NAP.toNanos());
                }
            }
        } catch (RuntimeException | Error e) {
            findings.report("node '" + node.name() + "', its second consumer", e);
        }
    }

    private void end() {
        try {
            Waits.join(second, JOIN_MILLIS);
            held.releaseAll();
            node.close();
        } catch (RuntimeException e) {
            findings.report("node '" + node.name() + "', its close", e);
        }
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    String name() {
        return node.name();
    }

    /** To which names are appended. */
    String address() {
        return address;
    }

    NodeArrivals arrivals() {
        return arrivals;
    }

    /** The words of the region that all change: its sums, and then its swapped words. */
    long[] tableWords() {
        long[] words = new long[SharedRegionLayout.SUMS + SharedRegionLayout.SWAPPED];
        for (int i = 0; i < words.length; i++) {
            words[i] = table.buffer()
                    .getLongVolatile(
                            i < SharedRegionLayout.SUMS
                                    ? SharedRegionLayout.sum(i)
                                    : SharedRegionLayout.swapped(i - SharedRegionLayout.SUMS));
        }
        return words;
    }

    long holds() {
        return held.total();
    }

    String state() {
        StringBuilder text = new StringBuilder("hub '" + node.name() + "' in mode " + mode + " at " + address + ":");
        for (Inbox inbox : inboxes) {
            if (inbox != null) {
                text.append("\n  ").append(inbox).append(": taken ").append(inbox.messages());
                text.append(", depth ").append(inbox.depth()).append(", ").append(inbox.statistics());
            }
        }
        text.append("\n  held ")
                .append(held.size())
                .append(", echoes that wait ")
                .append(echoes.waiting());
        return text.append(", answers that wait ").append(answers.waiting()).toString();
    }

    @Override
    public void close() {
        stopped = true;
        node.wake();
        if (!Waits.join(driver, JOIN_MILLIS)) {
            findings.report(new Flaw(
                    FlawKind.STALLED,
                    "node '" + node.name() + "'",
                    "no channel",
                    0,
                    -1,
                    "its driver to end within " + TimeUnit.MILLISECONDS.toSeconds(JOIN_MILLIS) + " s",
                    Stacks.all()));
        }
    }
}
