package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.verbena.fabric.HelloFlyweight;
import io.verbena.nic.port.NicId;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that was accepted: is called, answers, and becomes a link when the peer confirms that this is the one. A
 * peer whose link is up here gets another only if it proves to be the same. Of the loop's owner.
 */
final class Answering implements HelloHandler.Outcome {
    private final NettyFabric fabric;
    private final byte[] nonce = LinkSecret.newNonce();
    private @Nullable LinkSecret secret;
    private PeerLinks.@Nullable Peer peer;
    private long nicId;
    private @Nullable Channel channel;

    Answering(NettyFabric fabric) {
        this.fabric = fabric;
    }

    @Override
    public @Nullable String onHello(Channel from, UnsafeBuffer hello) {
        return secret == null ? called(from, hello) : confirmed(from, hello, secret);
    }

    private @Nullable String called(Channel from, UnsafeBuffer hello) {
        String defect = HelloFlyweight.stepDefect(hello, HelloFlyweight.CALL);
        if (defect != null || fabric.isClosed()) {
            return defect != null ? defect : "this side is closing";
        }
        nicId = HelloFlyweight.nicId(hello);
        byte[] callers = HelloFlyweight.nonce(hello);
        boolean self = nicId == fabric.nicId();
        if (self && !OwnNonces.contain(callers)) {
            return "it says that it is NIC " + NicId.text(nicId) + ", which is this one";
        }
        LinkSecret made = new LinkSecret(callers, nonce);
        secret = made;
        channel = from;
        int features = 0;
        LinkSecret last = null;
        if (self) {
            OwnNonces.add(nonce);
            from.closeFuture().addListener(closed -> OwnNonces.remove(nonce));
        } else {
            PeerLinks.Peer known = fabric.peers().peer(nicId);
            known.answered.add(this);
            peer = known;
            last = known.secret();
            features = known.link() == null ? 0 : HelloFlyweight.FEATURE_LINKED;
        }
        fabric.sendHello(
                from,
                HelloFlyweight.ANSWER,
                features,
                nonce,
                last == null ? null : last.proof(HelloFlyweight.ANSWER, made));
        return MORE;
    }

    private @Nullable String confirmed(Channel from, UnsafeBuffer hello, LinkSecret made) {
        OwnNonces.remove(nonce);
        String defect = HelloFlyweight.stepDefect(hello, HelloFlyweight.CONFIRMATION);
        if (defect == null && HelloFlyweight.nicId(hello) != nicId) {
            defect = "it says that it is another NIC than before";
        }
        if (defect != null || fabric.isClosed()) {
            return defect != null ? defect : "this side is closing";
        }
        PeerLinks.Peer known = peer;
        NettyLink before = known == null ? null : known.link();
        if (known != null && before != null) {
            LinkSecret last = known.secret();
            if (last == null || !last.isProvenBy(HelloFlyweight.proof(hello), HelloFlyweight.CONFIRMATION, made)) {
                return "it says that it is NIC " + NicId.text(nicId) + ", which has a " + before
                        + ", and does not prove it";
            }
            before.replaced();
        }
        fabric.linkUp(from, hello, known, made, null);
        leave();
        return null;
    }

    /** It is not needed, for another connection is the link. */
    void drop() {
        Channel open = channel;
        if (open != null) {
            HelloHandler.close(open);
        }
        leave();
    }

    private void leave() {
        PeerLinks.Peer known = peer;
        if (known != null && known.answered.remove(this) && known.answered.isEmpty()) {
            fabric.settle(known);
        }
    }

    @Override
    public void onRefused(Channel from, String reason) {
        if (secret == null || from.isActive()) {
            fabric.rejected(from, reason);
            if (secret == null) { // what called learns what it has called
                fabric.sendHello(from, HelloFlyweight.REFUSAL, 0, nonce, null);
            }
        } // else the peer has another link, and closed this connection
        leave();
    }
}
