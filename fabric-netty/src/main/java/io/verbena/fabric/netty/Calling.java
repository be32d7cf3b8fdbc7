package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.verbena.fabric.HelloFlyweight;
import io.verbena.nic.port.NicId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that this side makes: calls, is answered, and decides what it is for.
 *
 * <pre>
 *   answered ─┬─ this side has a link to that NIC ─▶ not needed: the connector has that link
 *             ├─ the peer is calling too, and its ─▶ held until the peer confirms its own: not needed,
 *             │  call goes first                     or lets it go: confirmed
 *             └─ else ─────────────────────────────▶ confirmed: the link is up
 * </pre>
 *
 * <p>Of two that call each other at once, the call of the lower id goes first, so that both keep the same connection;
 * and nothing is sent over one that is not confirmed. Of the loop's owner.
 */
final class Calling implements HelloHandler.Outcome {
    private final NettyFabric fabric;
    private final LinkDialer connector;
    private final byte[] nonce = LinkSecret.newNonce();
    private @Nullable Runnable confirm;
    private @Nullable Channel channel;

    Calling(NettyFabric fabric, LinkDialer connector) {
        this.fabric = fabric;
        this.connector = connector;
    }

    /** The connection is there. */
    void connected(Channel to) {
        channel = to;
        OwnNonces.add(nonce);
        to.closeFuture().addListener(closed -> OwnNonces.remove(nonce));
        fabric.sendHello(to, HelloFlyweight.CALL, 0, nonce, null);
    }

    @Override
    public @Nullable String onHello(Channel from, UnsafeBuffer hello) {
        String defect = HelloFlyweight.stepDefect(hello, HelloFlyweight.ANSWER);
        if (defect != null && HelloFlyweight.stepDefect(hello, HelloFlyweight.REFUSAL) == null) {
            return "closed before its hello: it refused this side, and its log says why";
        }
        if (defect != null || fabric.isClosed() || connector.isClosed()) {
            return defect != null ? defect : "this side is closing";
        }
        long nicId = HelloFlyweight.nicId(hello);
        OwnNonces.remove(nonce);
        byte[] answerers = HelloFlyweight.nonce(hello);
        LinkSecret secret = new LinkSecret(nonce, answerers);
        if (nicId == fabric.nicId()) {
            if (!OwnNonces.contain(answerers)) {
                return "it says that it is NIC " + NicId.text(nicId) + ", which is this one";
            }
            confirm(from, hello, null, secret);
            return null;
        }
        PeerLinks.Peer peer = fabric.peers().peer(nicId);
        boolean linkedThere = (HelloFlyweight.features(hello) & HelloFlyweight.FEATURE_LINKED) != 0;
        NettyLink link = peer.link();
        if (link != null) {
            LinkSecret last = peer.secret();
            if (linkedThere
                    || last == null
                    || !last.isProvenBy(HelloFlyweight.proof(hello), HelloFlyweight.ANSWER, secret)) {
                HelloHandler.close(from);
                connector.adopt(link);
                return CLOSE;
            }
            link.replaced(); // its other end is gone
        } else if (!peer.answered.isEmpty() && (linkedThere || Long.compareUnsigned(nicId, fabric.nicId()) < 0)) {
            UnsafeBuffer kept = new UnsafeBuffer(hello.byteArray().clone());
            confirm = () -> {
                confirm(from, kept, peer, secret);
                HelloHandler.end(from);
            };
            peer.held.add(this);
            fabric.loop().schedule(() -> peerIsSilent(peer), fabric.holdNanos(), TimeUnit.NANOSECONDS);
            return MORE;
        }
        confirm(from, hello, peer, secret);
        return null;
    }

    private void confirm(Channel to, UnsafeBuffer hello, PeerLinks.@Nullable Peer peer, LinkSecret secret) {
        LinkSecret last = peer == null ? null : peer.secret();
        fabric.sendHello(
                to,
                HelloFlyweight.CONFIRMATION,
                0,
                nonce,
                last == null ? null : last.proof(HelloFlyweight.CONFIRMATION, secret));
        fabric.linkUp(to, hello, peer, secret, connector);
    }

    /** What the peer's calls have become is known: one is the link, or none is. */
    void settled(@Nullable NettyLink link) {
        Channel open = channel;
        Runnable kept = confirm;
        if (open == null || kept == null || !open.isActive()) {
            return;
        }
        if (link != null) {
            HelloHandler.close(open);
            connector.adopt(link);
        } else if (connector.isClosed() || fabric.isClosed()) {
            HelloHandler.close(open);
        } else {
            kept.run();
        }
    }

    /** The peer has confirmed none of its calls for long. */
    private void peerIsSilent(PeerLinks.Peer peer) {
        if (peer.held.contains(this)) {
            List.copyOf(peer.answered).forEach(Answering::drop);
        }
    }

    @Override
    public void onRefused(Channel from, String reason) {
        fabric.rejected(from, reason);
        connector.attemptFailed(reason);
    }
}
