package io.verbena.fabric.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The first handler of a connection whose sides share a secret. Each sends a challenge; the side that connected proves
 * first that it knows the secret, and gets the other's proof only then. Nothing else passes in either direction before
 * that: what is written meanwhile waits.
 *
 * <pre>
 *   connecting                                    accepting
 *   challenge: NIC id, nonce ───────▶ ◀─────── challenge: NIC id, nonce
 *   proof: HMAC(role, transport, both ids, both nonces) ───▶ compares
 *   compares ◀─── proof, of the other role
 *
 *   challenge:  0          8          16                48
 *              +----------+----------+-----------------+
 *              |  magic   |  NIC id  |  nonce          |      proof: 32 bytes
 *              +----------+----------+-----------------+
 * </pre>
 *
 * <p>Fresh nonces of both sides make a recorded proof worthless, the role a reflected one, the transport's name one
 * that was relayed from another kind of link; and a hello with another NIC id than was proven is refused
 * ({@link #nicDefect}). What follows is not encrypted: who can change bytes on the way needs TLS against him.
 *
 * <p>Of the loop's owner alone; the time is that of the hello.
 */
public final class SecretHandshake extends ChannelDuplexHandler {
    /** "VERBENA", as a hello, and a byte that tells them apart. */
    static final long MAGIC = 0x73_41_4E_45_42_52_45_56L;

    static final int NONCE_LENGTH = 32;
    static final int CHALLENGE_LENGTH = 16 + NONCE_LENGTH;
    static final int PROOF_LENGTH = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final SharedSecret secret;
    private final String transport;
    private final long ownNic;
    private final boolean connecting;
    private final byte[] ownNonce = new byte[NONCE_LENGTH];
    private final byte[] peerNonce = new byte[NONCE_LENGTH];
    private final byte[] input = new byte[CHALLENGE_LENGTH + PROOF_LENGTH];
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private int received;
    private long peerNic;
    private boolean failed;

    private record Waiting(Object message, ChannelPromise promise) {}

    private SecretHandshake(SharedSecret secret, String transport, long ownNic, boolean connecting) {
        this.secret = secret;
        this.transport = transport;
        this.ownNic = ownNic;
        this.connecting = connecting;
        RANDOM.nextBytes(ownNonce);
    }

    /**
     * Puts the handshake on a new channel, in front of all other handlers.
     *
     * @param transport name of the kind of link, the same at both ends
     * @param connecting whether this side connects
     */
    public static void install(
            Channel channel, SharedSecret secret, String transport, long ownNic, boolean connecting) {
        channel.pipeline().addLast("secret", new SecretHandshake(secret, transport, ownNic, connecting));
    }

    /** Says that a hello's NIC id is not the one that was proven, or null. */
    public static @Nullable String nicDefect(Channel channel, long nicId) {
        Long proven = channel.attr(PeerAttributes.NIC).get();
        return proven == null || proven == nicId
                ? null
                : "hello of another NIC than the one that proved the shared secret";
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ByteBuffer challenge = ByteBuffer.allocate(CHALLENGE_LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putLong(ownNic)
                .put(ownNonce);
        context.writeAndFlush(Unpooled.wrappedBuffer(challenge.array()));
        context.fireChannelActive();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        waiting.add(new Waiting(message, promise.unvoid()));
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        // With the proof.
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            while (!failed && bytes.isReadable()) {
                take(context, bytes);
                if (received == input.length && !failed) {
                    pass(context, bytes);
                    return;
                }
            }
        } finally {
            bytes.release();
        }
    }

    /** Takes what belongs to the challenge, or after it to the proof. */
    private void take(ChannelHandlerContext context, ByteBuf bytes) {
        int end = received < CHALLENGE_LENGTH ? CHALLENGE_LENGTH : input.length;
        int length = Math.min(end - received, bytes.readableBytes());
        bytes.readBytes(input, received, length);
        received += length;
        if (received == CHALLENGE_LENGTH) {
            challenged(context);
        } else if (received < CHALLENGE_LENGTH && received >= Long.BYTES) {
            checkMagic(context);
        } else if (received == input.length) {
            proven(context);
        }
    }

    private boolean checkMagic(ChannelHandlerContext context) {
        boolean right = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).getLong(0) == MAGIC;
        if (!right) {
            fail(context, "the peer shows no shared secret, which this side asks for; set the same one on both sides");
        }
        return right;
    }

    private void challenged(ChannelHandlerContext context) {
        if (!checkMagic(context)) {
            return;
        }
        ByteBuffer challenge = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
        peerNic = challenge.getLong(Long.BYTES);
        challenge.position(2 * Long.BYTES).get(peerNonce);
        if (MessageDigest.isEqual(peerNonce, ownNonce)) {
            fail(context, "shared secret: the peer sends this side's own challenge back");
        } else if (connecting) {
            context.writeAndFlush(Unpooled.wrappedBuffer(proof(true)));
        }
    }

    private byte[] proof(boolean ofConnecting) {
        return secret.proof(
                "verbena " + transport + (ofConnecting ? " connects" : " accepts"),
                connecting ? ownNic : peerNic,
                connecting ? peerNic : ownNic,
                connecting ? ownNonce : peerNonce,
                connecting ? peerNonce : ownNonce);
    }

    private void proven(ChannelHandlerContext context) {
        byte[] shown = new byte[PROOF_LENGTH];
        System.arraycopy(input, CHALLENGE_LENGTH, shown, 0, PROOF_LENGTH);
        if (!MessageDigest.isEqual(shown, proof(!connecting))) {
            fail(context, "shared secret: the peer's proof is wrong; set the same secret on both sides");
        } else if (!connecting) {
            context.write(Unpooled.wrappedBuffer(proof(false)));
        }
    }

    /** Both have proven it: what waited goes, and this handler with it. */
    private void pass(ChannelHandlerContext context, ByteBuf rest) {
        Channel channel = context.channel();
        channel.attr(PeerAttributes.NIC).set(peerNic);
        PeerAttributes.set(channel, PeerAttributes.of(channel).with(PeerIdentity.Proof.SECRET));
        for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
            context.write(each.message, each.promise);
        }
        context.flush();
        context.pipeline().remove(this);
        if (rest.isReadable()) {
            context.fireChannelRead(rest.readRetainedSlice(rest.readableBytes()));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended(context);
        context.fireChannelInactive();
    }

    /** End of file, on channels that may be half closed. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            ended(context);
        }
        context.fireUserEventTriggered(event);
    }

    /** What accepts ends where it has got a proof that it does not like, and says nothing. */
    private void ended(ChannelHandlerContext context) {
        if (connecting && !failed && received >= CHALLENGE_LENGTH) {
            fail(context, "shared secret: the peer refuses this side's proof; set the same secret on both sides");
        }
    }

    private void fail(ChannelHandlerContext context, String reason) {
        failed = true;
        context.fireExceptionCaught(new IOException(reason));
        context.close();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
            ReferenceCountUtil.release(each.message);
            each.promise.tryFailure(new IOException("closed before the shared secret was proven"));
        }
    }
}
