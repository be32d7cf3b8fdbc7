package io.verbena.fabric.security;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/** The user at the other end of a Unix-domain socket, as the kernel knows it. Stateless; any thread. */
public final class LocalUser {
    private LocalUser() {}

    /**
     * The numeric id of the user that this process runs as.
     *
     * @throws IOException if the system does not say
     */
    public static int own() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    /**
     * Refuses a peer that is neither this process's user nor one of those that are allowed, and notes who it is.
     *
     * @param channel connected, over a Unix-domain socket
     * @param allowed numeric ids of others
     * @return the reason to refuse it, or null
     */
    public static @Nullable String defect(Channel channel, Set<Integer> allowed) {
        try {
            int own = own();
            int user;
            if (channel instanceof EpollDomainSocketChannel epoll) {
                user = epoll.peerCredentials().uid();
            } else if (isOwn(channel)) {
                user = own;
            } else {
                return "peer runs as another user, and only Netty's epoll library can tell which are allowed";
            }
            if (user != own && !allowed.contains(user)) {
                return "peer runs as user " + user + ", this process as " + own
                        + (allowed.isEmpty() ? "" : ", and allowed are " + allowed);
            }
            PeerIdentity before = PeerAttributes.of(channel);
            PeerAttributes.set(
                    channel, new PeerIdentity("uid:" + user, null, PeerIdentity.Proof.LOCAL_USER).with(before.proof()));
            return null;
        } catch (IOException e) {
            return "the kernel does not say who the peer is: " + e.getMessage();
        }
    }

    private static boolean isOwn(Channel channel) throws IOException {
        if (!(channel instanceof NioDomainSocketChannel)) {
            throw new IOException(channel + " is no Unix-domain socket");
        }
        UnixDomainPrincipal peer = channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        if (peer == null) {
            throw new IOException("no SO_PEERCRED here");
        }
        return peer.user().equals(Files.getOwner(Path.of("/proc/self")));
    }
}
