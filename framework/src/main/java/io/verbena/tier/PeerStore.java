package io.verbena.tier;

import io.verbena.CloseReason;
import io.verbena.OperationHandler;
import io.verbena.RemoteSession;
import io.verbena.SendResult;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.MutableDirectBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The memory of a peer. A peer that was lost is never used again: what it holds may be older than what others have. */
final class PeerStore implements Store {
    private static final Logger LOGGER = LoggerFactory.getLogger(PeerStore.class);

    private final RemoteSession session;
    private final int number;
    private final String address;
    private final long blocks;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicBoolean dead = new AtomicBoolean();

    PeerStore(RemoteSession session, int number, String address, int blockLength) {
        this.session = session;
        this.number = number;
        this.address = address;
        this.blocks = session.length(number) / blockLength;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public boolean isAlive() {
        if (!dead.get() && !session.isConnected(number)) {
            failed();
        }
        return !dead.get();
    }

    @Override
    public void failed() {
        if (dead.compareAndSet(false, true)) {
            CloseReason reason = session.closeReason(number);
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
        return session.read(number, offset, target, index, length, id, handler);
    }

    @Override
    public SendResult write(
            long offset, MutableDirectBuffer source, int index, int length, long id, OperationHandler handler) {
        return session.write(number, offset, source, index, length, id, handler);
    }

    @Override
    public void together(long offset, Runnable posts) {
        session.region(number, offset, 1).together(posts);
    }

    @Override
    public String toString() {
        return "peer " + address;
    }
}
