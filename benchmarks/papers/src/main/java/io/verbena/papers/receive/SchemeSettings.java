package io.verbena.papers.receive;

import io.verbena.nic.ConnectAttributes;

/**
 * What the queue pairs of a scheme are like; the same at both ends. Immutable.
 *
 * @param window requests that may be under way on a queue pair, 1 to 32768
 * @param maxInline messages up to so many bytes are posted inline, 0 to 4096
 * @param sourceBytes memory that holds longer messages at a sender until they are complete
 * @param mtu payload bytes of a full packet
 * @param rnrTimer code of the time that a sender waits when the receiver is not ready
 */
public record SchemeSettings(int window, int maxInline, int sourceBytes, int mtu, int rnrTimer) {
    private static final int WINDOW = 256;
    private static final int INLINE = 256;
    private static final int SOURCE_BYTES = 8 << 20;
    private static final int RNR_TIMER = 2; // 20 us

    /** 256 requests, 256 B inline, 8 MiB of source memory, packets of 8 KiB, 20 us until a sender tries again. */
    public static final SchemeSettings DEFAULT =
            new SchemeSettings(WINDOW, INLINE, SOURCE_BYTES, ConnectAttributes.DEFAULT_MTU, RNR_TIMER);

    /** The same with other packets. */
    public SchemeSettings withMtu(int bytes) {
        return new SchemeSettings(window, maxInline, sourceBytes, bytes, rnrTimer);
    }

    /** Attributes to connect with: a receiver that is not ready is tried for ever. */
    ConnectAttributes connect() {
        return new ConnectAttributes().pathMtu(mtu).minRnrTimer(rnrTimer);
    }
}
