package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.ConnectionException;
import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.bench.check.messages.MessageTally.Count;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Channels, inboxes, regions and nodes that are opened, used a little and closed, beside what others do. */
final class ChurnLoad implements ClientLoad {
    private static final long PAUSE_NANOS = 20_000_000;
    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final int MESSAGES = 40;
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int MAX_LENGTH = 2000;

    /** A channel that was closed, at once or when all was acknowledged: what it has sent still comes. */
    private record Ending(int stream, long sent) {}

    private final Site site;
    private final SplittableRandom random;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[MAX_LENGTH]);
    private final List<Ending> endings = new ArrayList<>();
    private @Nullable Channel channel; // that sends now, at most one
    private @Nullable HubInbox place;
    private int stream;
    private int sent;
    private int wanted;
    private boolean quietly;
    private long next;
    private int number;

    ChurnLoad(Site site) {
        this.site = site;
        this.random = site.random(17);
    }

    @Override
    public void open() {}

    @Override
    public int step(boolean more) {
        int done = settle();
        if (channel != null) {
            done += send(channel);
        } else if (more && System.nanoTime() - next > 0 && !site.host().isDisturbed()) {
            next = System.nanoTime() + random.nextLong(2 * PAUSE_NANOS);
            begin();
            done++;
        }
        return done;
    }

    private void begin() {
        try {
            switch (random.nextInt(6)) {
                case 0:
                    connect(HubInbox.BRIEF);
                    break;
                case 1:
                    closeInCallback();
                    break;
                case 2:
                    node();
                    break;
                case 3:
                    region();
                    break;
                default:
                    connect(HubInbox.SINK);
            }
        } catch (ConnectionException e) {
            boolean maybe = place == HubInbox.BRIEF || site.host().isDisturbed();
            place = null;
            if (!maybe) {
                site.findings().report("node '" + site.node().name() + "', a connection", e);
            }
        }
    }

    private void connect(HubInbox to) {
        place = to;
        stream = site.newStream();
        sent = 0;
        wanted = random.nextInt(MESSAGES);
        quietly = random.nextBoolean();
        channel = site.node().connect(site.host().address(to.inbox()), CONNECT);
    }

    private int send(Channel to) {
        int before = sent;
        SendResult result = SendResult.SENT;
        while (sent < wanted && result == SendResult.SENT) {
            result = offer(to, stream, sent);
            sent += result == SendResult.SENT ? 1 : 0;
        }
        boolean over = result == SendResult.CLOSED || !to.isConnected();
        boolean all = sent == wanted && (!quietly || to.outstanding() == 0);
        if (over && place == HubInbox.SINK && !site.host().isDisturbed()) {
            site.unexpected(to.toString(), stream, "an open channel", "closed: " + to.closeReason());
        }
        if (over || all) {
            to.close();
            site.tally().add(Count.CLOSES, 1);
            if (place == HubInbox.SINK && !over) {
                endings.add(new Ending(stream, sent));
            }
            channel = null;
            place = null;
            return 1;
        }
        return sent - before;
    }

    private SendResult offer(Channel to, int of, long index) {
        int length = MessageContent.IDENTITY_LENGTH + random.nextInt(MAX_LENGTH - MessageContent.IDENTITY_LENGTH);
        int code = place == null ? HubInbox.SINK.code() : place.code();
        site.content().fill(buffer, 0, MessageContent.identity(code, of, index), length);
        SendResult result = to.offer(buffer, 0, length);
        if (result == SendResult.SENT) {
            site.tally().add(Count.MESSAGES, 1);
            site.tally().add(Count.BYTES, length);
        }
        return result;
    }

    private int settle() {
        int done = 0;
        for (Iterator<Ending> all = endings.iterator(); all.hasNext(); ) {
            Ending ending = all.next();
            if (site.host().received(ending.stream()) >= ending.sent()
                    || site.host().isDisturbed()) {
                all.remove();
                done++;
            }
        }
        return done;
    }

    /** An inbox whose callback closes the channel that a message came by. */
    private void closeInCallback() {
        int of = site.newStream();
        Inbox inbox = site.node()
                .openInbox(
                        "closing-" + of,
                        new InboxOptions().chunkLength(64 << 10).maxMessage(MAX_LENGTH));
        boolean[] closed = {false};
        inbox.onMessage(m -> {
            Channel back = m.channel();
            if (back != null && !closed[0]) {
                closed[0] = true;
                back.close();
            }
        });
        Channel echo = site.node().connect(site.host().address(HubInbox.ECHO.inbox()), inbox, Site.TIMEOUT);
        place = HubInbox.ECHO;
        for (int i = 0; i < 4; i++) {
            if (offer(echo, of, i) != SendResult.SENT) {
                break;
            }
        }
        place = null;
        boolean ended = drive(site.node(), site.mode(), () -> !echo.isConnected());
        if (!ended && !site.host().isDisturbed()) {
            site.unexpected(echo.toString(), of, "to be closed by a callback", "it is open");
        }
        inbox.close();
        site.tally().add(Count.CLOSES, 2);
    }

    /** A node of its own that sends and closes. */
    private void node() {
        NodeMode mode = NodeMode.values()[random.nextInt(NodeMode.values().length)];
        String name = site.node().name() + "-" + number++;
        int of = site.newStream();
        int count = 0;
        FabricName fabric = site.host().fabric();
        try (Node node = Node.launch(fabric.context(site.settings().shared())
                .name(name)
                .mode(mode)
                .linger(Duration.ofSeconds(10))
                .peerTimeout(Duration.ofSeconds(3)))) {
            Channel to = site.connectFirst(node, HubInbox.SINK);
            for (int i = random.nextInt(MESSAGES); i > 0; i--) {
                if (offer(to, of, count) != SendResult.SENT) {
                    break;
                }
                count++;
            }
            if (random.nextBoolean()) {
                drive(node, mode, () -> to.outstanding() == 0);
            }
        }
        site.tally().add(Count.CLOSES, 1);
        endings.add(new Ending(of, count));
    }

    private void region() {
        site.node().share("brief-" + number, 1 << 16).close();
        site.node()
                .attach(site.host().address(SharedRegionLayout.NAME), Site.TIMEOUT)
                .close();
        number++;
        site.tally().add(Count.CLOSES, 2);
    }

    private boolean drive(Node node, NodeMode mode, BooleanSupplier done) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!done.getAsBoolean() && System.nanoTime() - deadline < 0) {
            if (mode != NodeMode.INVOKER) {
                LockSupport.parkNanos(NAP.toNanos());
            } else if (node.doWork() == 0) {
                node.await(NAP);
            }
        }
        return done.getAsBoolean();
    }

    @Override
    public boolean isSettled() {
        return channel == null && endings.isEmpty();
    }

    @Override
    public void close() {}

    @Override
    public String state() {
        StringBuilder text = new StringBuilder("churn load, " + channel + ", stream " + stream + ", sent " + sent);
        for (Ending e : endings) {
            text.append("\n    closed after ")
                    .append(e)
                    .append(", arrived ")
                    .append(site.host().received(e.stream()));
        }
        return text.toString();
    }
}
