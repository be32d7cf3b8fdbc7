package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Message;
import io.verbena.SendResult;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Messages that the hub's callback sends back, each judged on both sides; taken by a poll, or by a callback. */
final class EchoLoad implements ClientLoad {
    private static final int WINDOW = 64;
    private static final int MAX_LENGTH = 256 << 10;
    private static final long NUDGE_NANOS = 1_000_000;

    private final Site site;
    private final SplittableRandom random;
    private final int stream;
    private final boolean callback;
    private final Runnable action;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[MAX_LENGTH]);
    private @Nullable Inbox answers;
    private @Nullable Channel channel;
    private long sent;
    private long back;
    private long nextNudge;
    private int length = -1;
    private boolean broken;

    /** Of echoes that are taken by a callback of the node, or by a poll; something is done for each. */
    EchoLoad(Site site, boolean callback, Runnable action) {
        this.site = site;
        this.callback = callback;
        this.action = action;
        this.stream = site.newStream();
        this.random = site.random(stream);
    }

    @Override
    public void open() {
        Inbox inbox = site.node()
                .openInbox(
                        "answers-" + stream,
                        new InboxOptions().chunkLength(64 << 10).maxMessage(MAX_LENGTH));
        answers = inbox;
        if (callback) {
            inbox.onMessage(this::onEcho);
        }
        channel = site.node().connect(site.host().address(HubInbox.ECHO.inbox()), inbox, Site.TIMEOUT);
    }

    private void onEcho(Message m) {
        site.entrance().enter(callback ? "the callback for echoes" : "the handler of echoes", () -> {
            site.arrivals().accept(HubInbox.ECHO, 0, m.channel(), m.buffer(), m.offset(), m.length(), m.immediate());
            action.run();
        });
    }

    @Override
    public int step(boolean more) {
        Channel to = channel;
        Inbox from = answers;
        if (to == null || from == null || broken) {
            return 0;
        }
        int done = callback ? 0 : from.poll(this::onEcho, 64);
        long arrived = site.arrivals().received(stream);
        done += arrived > back ? 1 : 0;
        back = arrived;
        if (!to.isConnected()) {
            took(SendResult.CLOSED);
            return 1;
        }
        while (more && sent - back < WINDOW) {
            if (length < 0) {
                length = Math.max(MessageContent.IDENTITY_LENGTH, Lengths.next(random, MAX_LENGTH));
                site.content().fill(buffer, 0, MessageContent.identity(HubInbox.ECHO.code(), stream, sent), length);
            }
            if (!took(to.offer(buffer, 0, length))) {
                break;
            }
            sent++;
            done++;
            site.tally().add(MessageTally.Count.MESSAGES, 2);
            site.tally().add(MessageTally.Count.BYTES, 2L * length);
            length = -1;
        }
        if (!broken && back < sent && System.nanoTime() - nextNudge > 0) {
            took(to.offer(buffer, 0, 0));
            nextNudge = System.nanoTime() + NUDGE_NANOS;
        }
        return done;
    }

    private boolean took(SendResult result) {
        if (result == SendResult.CLOSED) {
            broken = true;
            Channel to = channel;
            if (!site.host().isDisturbed() && to != null) {
                site.unexpected(to.toString(), stream, "an open channel", "closed: " + to.closeReason());
            }
        }
        return result == SendResult.SENT;
    }

    @Override
    public boolean isSettled() {
        return broken || back == sent;
    }

    @Override
    public void close() {
        if (!broken && site.findings().isClean()) { // a flaw ends the run before all has come
            site.host().finish(HubInbox.ECHO, stream, sent);
            site.arrivals().finish(HubInbox.ECHO, stream, sent);
        }
        if (channel != null) {
            channel.close();
            site.tally().add(MessageTally.Count.CLOSES, 1);
        }
        if (answers != null) {
            answers.close();
        }
    }

    @Override
    public String state() {
        Channel to = channel;
        return "echo load, stream " + stream + ": sent " + sent + ", back " + back + ", arrived there "
                + site.host().received(stream) + ", " + to
                + (to == null ? "" : ", outstanding " + to.outstanding() + ", close reason " + to.closeReason());
    }
}
