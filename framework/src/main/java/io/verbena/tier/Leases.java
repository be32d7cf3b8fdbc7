package io.verbena.tier;

import io.verbena.CallException;
import io.verbena.Channel;
import io.verbena.ConnectionException;
import io.verbena.InboxOptions;
import io.verbena.Requester;
import io.verbena.RequesterOptions;
import io.verbena.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The memory that donors lend to a {@link PagedMemory}: a channel to each of them, as long as which is open the donor
 * lends it. Closing this gives it back. For one thread.
 */
final class Leases implements AutoCloseable {
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration GRACE = Duration.ofSeconds(2); // an answer says why, silence does not
    private static final int MAX_ANSWER = 4096;

    private final Tenant tenant;
    private final List<Channel> channels = new ArrayList<>();
    private @Nullable Requester requester;

    Leases(Tenant tenant) {
        this.tenant = tenant;
    }

    /** What a donor lends, as long as the channel is open. */
    record Lease(Regions regions, String prefix, Channel channel) {}

    /**
     * Borrows all memory of a donor. A donor whose memory another node has is asked again: it may be about to notice
     * that this node is gone.
     *
     * @param address of its node
     * @throws ConnectionException if it cannot be reached, or refuses
     * @throws IllegalStateException if it does not lend its memory in time, and why not
     */
    Lease take(String address, Duration limit) {
        Deadline deadline = Deadline.in(limit);
        Channel channel = requester().connect(address + "/" + Donation.NAME, limit);
        channels.add(channel);
        while (true) {
            byte[] answer = ask(channel, address, deadline.left(Long.MAX_VALUE).plus(GRACE));
            String defect = LeaseFlyweight.defect(answer);
            if (!defect.isEmpty()) {
                throw new IllegalStateException("donor " + address + " answered " + defect);
            }
            Regions regions = LeaseFlyweight.regions(answer);
            if (regions.count() > 0) {
                return new Lease(regions, LeaseFlyweight.text(answer), channel);
            }
            if (deadline.isOver()) {
                throw new IllegalStateException(
                        "donor " + address + " lends nothing " + deadline + ": " + LeaseFlyweight.text(answer));
            }
            LockSupport.parkNanos(this, deadline.left(PAUSE).toNanos());
        }
    }

    private Requester requester() {
        Requester known = requester;
        if (known != null) {
            return known;
        }
        InboxOptions answers = new InboxOptions().maxMessage(MAX_ANSWER);
        Requester made =
                tenant.openRequester(new RequesterOptions().responses(answers)).pollOnNode();
        requester = made;
        return made;
    }

    private byte[] ask(Channel channel, String address, Duration limit) {
        try {
            return requester()
                    .call(channel, LeaseFlyweight.request(), limit)
                    .get(limit.toMillis() + 1000, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof CallException call ? call : e;
            throw new IllegalStateException("donor " + address + " does not answer: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new IllegalStateException("donor " + address + " does not answer within " + limit, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while donor " + address + " was asked", e);
        }
    }

    @Override
    public void close() {
        channels.forEach(Channel::close);
        if (requester != null) {
            requester.close();
        }
    }
}
