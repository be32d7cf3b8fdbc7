package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who is let in. A fabric has room for a number of connections that peers make. When it is full, a newcomer takes the
 * place of the one that has been of no use for longest: first of those whose hellos are not done, then of links over
 * which no packet has come yet. So a flood of silent connections keeps nobody out. A link that is used keeps its place.
 *
 * <p>Of the loop's owner alone.
 */
final class Admission {
    private final int room;
    private final Set<Channel> inHello = new LinkedHashSet<>();
    private final Set<NettyLink> unused = new LinkedHashSet<>();
    private int admitted;

    /**
     * Creates it.
     *
     * @param room connections that peers may have at a time
     */
    Admission(int room) {
        this.room = room;
    }

    /**
     * Lets a connection in, at the cost of an older one if need be.
     *
     * @return false if all others are in use
     */
    boolean admit(Channel channel) {
        if (admitted >= room && !makeRoom()) {
            return false;
        }
        admitted++;
        inHello.add(channel);
        channel.closeFuture().addListener(closed -> {
            admitted--;
            inHello.remove(channel);
        });
        return true;
    }

    private boolean makeRoom() {
        String of = "more than the maximum of " + room + " connections; ";
        Iterator<Channel> silent = inHello.iterator();
        if (silent.hasNext()) {
            HelloHandler.refuse(silent.next(), of + "this one's hello has been awaited for longest");
            return true;
        }
        NettyLink idle = eldestUnused();
        if (idle != null) {
            unused.remove(idle);
            idle.expel(of + "this one has been without a packet for longest");
        }
        return idle != null;
    }

    private @Nullable NettyLink eldestUnused() {
        for (Iterator<NettyLink> each = unused.iterator(); each.hasNext(); ) {
            NettyLink link = each.next();
            if (!link.hasDelivered()) {
                return link;
            }
            each.remove();
        }
        return null;
    }

    /** A connection that was let in has become a link. */
    void linkUp(Channel channel, NettyLink link) {
        inHello.remove(channel);
        unused.add(link);
    }

    /** A link has ended. */
    void linkEnded(NettyLink link) {
        unused.remove(link);
    }

    /** Ends links over which nothing has come for a time, if room may be short soon. */
    void expire(long now, long timeoutNanos) {
        for (NettyLink link = eldestUnused();
                link != null && admitted > room / 2 && now - link.upSince() > timeoutNanos;
                link = eldestUnused()) {
            unused.remove(link);
            link.expel("no packet within " + timeoutNanos / 1_000_000 + " ms, while " + admitted + " of " + room
                    + " connections are taken");
        }
    }
}
