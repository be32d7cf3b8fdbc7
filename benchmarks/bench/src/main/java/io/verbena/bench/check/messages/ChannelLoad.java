package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.SendResult;
import io.verbena.Tenant;
import java.util.SplittableRandom;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** One channel: bursts of small messages and runs of mixed ones, sent in all the ways that there are. */
final class ChannelLoad implements ClientLoad {
    private static final int BURST = 5000;
    private static final int RUN = 48;
    private static final int PAD = 16;
    private static final int[] WAYS = {0, 0, 1, 1, 2, 3, 3, 4, 5, 6};
    private static final int OFFER = 0;
    private static final int ENQUEUE = 1;
    private static final int OFFER_WITH_IMMEDIATE = 2;
    private static final int CLAIM = 3;
    private static final int CLAIM_LONGER = 4;
    private static final int CLAIM_AND_ENQUEUE = 5;

    private final Site site;
    private final HubInbox place;
    private final Tenant tenant;
    private final ChannelOptions options;
    private final int maxLength;
    private final SplittableRandom random;
    private final int stream;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);
    private final StreamProgress progress;
    private @Nullable Channel channel;
    private long sent;
    private long refused;
    private int left; // of the burst or run
    private boolean small;
    private boolean pending;
    private int length;
    private int offset;
    private int way;
    private boolean broken;

    /** To an inbox, at a tenant's expense. */
    ChannelLoad(Site site, HubInbox place, Tenant tenant, ChannelOptions options, int maxLength) {
        this.site = site;
        this.place = place;
        this.tenant = tenant;
        this.options = options;
        this.maxLength = maxLength;
        this.progress = new StreamProgress(maxLength);
        this.stream = site.newStream();
        this.random = site.random(stream);
    }

    @Override
    public void open() {
        channel = tenant.connect(site.host().address(place.inbox()), null, options, Site.TIMEOUT);
    }

    private Channel channel() {
        Channel open = channel;
        if (open == null) {
            throw new IllegalStateException("not connected");
        }
        return open;
    }

    @Override
    public int step(boolean more) {
        if (broken) {
            return 0;
        }
        long bytes = channel().statistics().bytes();
        int done = progress.goesOn(site.host().received(stream), bytes) ? 1 : 0;
        if (!channel().isConnected()) {
            breakOff();
            return 1;
        }
        if (!more) {
            pending = false;
            left = 0;
            channel().flush();
            return done;
        }
        if (left == 0 && !pending) {
            small = random.nextInt(8) == 0;
            left = small ? BURST : 1 + random.nextInt(RUN);
        }
        while (!broken && (pending || left > 0)) {
            if (!pending) {
                prepare();
            }
            SendResult result = send();
            if (result == SendResult.SENT) {
                pending = false;
                sent++;
                done++;
                site.tally().add(MessageTally.Count.MESSAGES, 1);
                site.tally().add(MessageTally.Count.BYTES, length);
            } else if (result == SendResult.CLOSED) {
                breakOff();
            } else {
                refused++;
                break;
            }
        }
        if (random.nextInt(4) == 0) {
            channel().flush();
        }
        return done;
    }

    private void breakOff() {
        broken = true;
        if (!site.host().isDisturbed()) {
            site.unexpected(
                    channel().toString(),
                    stream,
                    "an open channel",
                    "closed: " + channel().closeReason());
        }
    }

    private void prepare() {
        left--;
        pending = true;
        length = small
                ? random.nextInt(120)
                : Lengths.next(random, Math.min(maxLength, channel().maxMessage()));
        if (!place.isOrdered()) {
            length =
                    Math.max(length, MessageContent.IDENTITY_LENGTH); // 12 bits of a number do not name it out of order
        }
        offset = random.nextInt(PAD);
        way = WAYS[random.nextInt(WAYS.length)];
        if (length < MessageContent.IDENTITY_LENGTH) {
            way = random.nextBoolean() ? OFFER_WITH_IMMEDIATE : ENQUEUE;
        }
        if (way <= OFFER_WITH_IMMEDIATE) {
            if (buffer.capacity() < length + PAD) {
                buffer.wrap(new byte[length + PAD]);
            }
            site.content().fill(buffer, offset, identity(), length);
        }
    }

    private long identity() {
        return MessageContent.identity(place.code(), stream, sent);
    }

    private SendResult send() {
        Channel to = channel();
        int immediate = MessageContent.immediate(identity());
        switch (way) {
            case OFFER:
                return reused(to.offer(buffer, offset, length));
            case OFFER_WITH_IMMEDIATE:
                return reused(to.offer(buffer, offset, length, immediate));
            case ENQUEUE:
                return reused(
                        length < MessageContent.IDENTITY_LENGTH
                                ? to.enqueue(buffer, offset, length, immediate)
                                : to.enqueue(buffer, offset, length));
            default:
                return sendClaim(to);
        }
    }

    /** What was taken was copied: the buffer is the caller's again. */
    private SendResult reused(SendResult result) {
        if (result == SendResult.SENT && length > 0) {
            buffer.setMemory(offset, Math.min(length, 64), (byte) 0xEE);
        }
        return result;
    }

    private SendResult sendClaim(Channel to) {
        int claimed = way == CLAIM_LONGER ? Math.min(length + random.nextInt(1000), to.maxMessage()) : length;
        int at = to.tryClaim(claimed);
        if (at < 0) {
            return at == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        MutableDirectBuffer memory = to.claimBuffer();
        if (way > CLAIM_AND_ENQUEUE) {
            memory.setMemory(at, claimed, (byte) 0xDD);
            to.abortClaim();
            way = CLAIM;
            return sendClaim(to);
        }
        site.content().fill(memory, at, identity(), length);
        if (way == CLAIM_AND_ENQUEUE) {
            return to.enqueueClaim();
        }
        return way == CLAIM_LONGER ? to.commit(length) : to.commit();
    }

    @Override
    public boolean isSettled() {
        return broken || (progress.arrived() == sent && channel().outstanding() == 0);
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close();
            site.tally().add(MessageTally.Count.CLOSES, 1);
        }
        if (!broken && site.findings().isClean()) { // a flaw ends the run before all has come
            site.host().finish(place, stream, sent);
        }
    }

    @Override
    public String state() {
        Channel open = channel;
        return "channel load to " + place + ", stream " + stream + ": sent " + sent + ", arrived " + progress.arrived()
                + ", back-pressured " + refused + ", "
                + (open == null
                        ? "not connected"
                        : open + ", outstanding " + open.outstanding() + ", close reason " + open.closeReason());
    }
}
