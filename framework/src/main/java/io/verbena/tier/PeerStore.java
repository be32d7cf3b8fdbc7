package io.verbena.tier;

import io.verbena.Channel;
import io.verbena.CloseReason;
import io.verbena.OperationHandler;
import io.verbena.RemoteSession;
import io.verbena.SendResult;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of a peer: one region, or several, which are numbered in a row and filled one after another. A peer that
 * was lost is never used again: what it holds may be older than what others have.
 */
final class PeerStore implements Store {
    private static final Logger LOGGER = LoggerFactory.getLogger(PeerStore.class);

    private final RemoteSession session;
    private final int number;
    private final String address;
    private final int first; // number of its first region in the session
    private final int regions;
    private final @Nullable Channel lease;
    private final long regionLength; // of all but the last, in whole blocks
    private final long blocks;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicBoolean dead = new AtomicBoolean();

    /**
     * Creates it.
     *
     * @param number among the stores
     * @param first number of its first region among the session's peers
     * @param regions how many it has; all but the last are as long as the first
     * @param lease the channel as long as which is open the peer lends them; null if it shares them
     */
    PeerStore(
            RemoteSession session,
            int number,
            String address,
            int first,
            int regions,
            @Nullable Channel lease,
            int blockLength) {
        this.session = session;
        this.number = number;
        this.address = address;
        this.first = first;
        this.regions = regions;
        this.lease = lease;
        long blocksPerRegion = session.length(first) / blockLength;
        this.regionLength = blocksPerRegion * blockLength;
        this.blocks = (regions - 1) * blocksPerRegion + session.length(first + regions - 1) / blockLength;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public boolean isAlive() {
        if (lease != null && !lease.isConnected() && !dead.get()) {
            failed();
        }
        for (int i = 0; i < regions && !dead.get(); i++) {
            if (!session.isConnected(first + i)) {
                failed();
            }
        }
        return !dead.get();
    }

    @Override
    public void failed() {
        if (dead.compareAndSet(false, true)) {
            CloseReason reason = lease == null ? null : lease.closeReason();
            for (int i = 0; i < regions && reason == null; i++) {
                reason = session.closeReason(first + i);
            }
            if (reason != CloseReason.CLOSED_HERE) {
                LOGGER.warn(
                        "paged memory: {} is lost and not used any more: {}",
                        this,
                        reason == null ? "it failed" : reason);
            }
        }
    }

    @Override
    public long room() {
        return isAlive() ? blocks - taken.get() : 0;
    }

    @Override
    public long take() {
        long block;
        do {
            block = taken.get();
            if (block >= blocks || dead.get()) {
                return NONE;
            }
        } while (!taken.compareAndSet(block, block + 1));
        return block;
    }

    @Override
    public long taken() {
        return taken.get();
    }

    long blocks() {
        return blocks;
    }

    String address() {
        return address;
    }

    @Override
    public SendResult read(
            long offset, MutableDirectBuffer target, int index, int length, long id, OperationHandler handler) {
        return session.read(region(offset), inRegion(offset), target, index, length, id, handler);
    }

    @Override
    public SendResult write(
            long offset, MutableDirectBuffer source, int index, int length, long id, OperationHandler handler) {
        return session.write(region(offset), inRegion(offset), source, index, length, id, handler);
    }

    @Override
    public void together(long offset, Runnable posts) {
        session.region(region(offset), inRegion(offset), 1).together(posts);
    }

    private int region(long offset) {
        return first + (int) (offset / regionLength);
    }

    private long inRegion(long offset) {
        return offset % regionLength;
    }

    @Override
    public String toString() {
        return "peer " + address;
    }
}
