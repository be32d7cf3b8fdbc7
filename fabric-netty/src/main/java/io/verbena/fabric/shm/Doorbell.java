package io.verbena.fabric.shm;

import static io.verbena.fabric.shm.PacketRingDescriptor.DOORBELL_OFFSET;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the process at the other end of a socket with one byte, from whatever thread, without a detour over the loop's
 * owner. At most one byte is on its way: a word in the ring says so, set here and cleared there before the reader looks
 * for work.
 *
 * <p>Thread-safe. Writing and {@link #shut} exclude each other, so that no byte goes to a descriptor that was closed
 * and is something else's by now.
 */
final class Doorbell {
    private static final Logger LOG = LoggerFactory.getLogger(Doorbell.class);
    private static final int RUNG = 1;
    private static final ByteBuffer ONE = ByteBuffer.allocateDirect(1); // its content is of no interest

    private final FileDescriptor socket;
    private final AtomicBuffer outboundRing;
    private final AtomicBuffer inboundRing;
    private boolean shut;

    Doorbell(FileDescriptor socket, AtomicBuffer outboundRing, AtomicBuffer inboundRing) {
        this.socket = socket;
        this.outboundRing = outboundRing;
        this.inboundRing = inboundRing;
    }

    /** Wakes the peer. */
    void ring() {
        if (outboundRing.getAndSetInt(DOORBELL_OFFSET, RUNG) == RUNG) { // under the baton, as the ring itself
            return; // a byte is on its way; the peer looks for work after it has cleared the word
        }
        synchronized (this) {
            if (shut) {
                return;
            }
            try {
                socket.write(ONE, 0, 1);
            } catch (IOException e) {
                LOG.debug("doorbell: {}", e.getMessage()); // the peer is gone; the loop sees it as end of file
            }
        }
    }

    /** The peer has rung: clears the word, so that the next ring sends a byte again. */
    synchronized void heard() {
        if (!shut) {
            inboundRing.getAndSetInt(DOORBELL_OFFSET, 0);
        }
    }

    /** To be called before the socket is closed, and before the rings go. */
    synchronized void shut() {
        shut = true;
    }
}
