package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.verbena.fabric.security.PeerAttributes;
import io.verbena.fabric.security.TlsCredentials;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Stands behind a connection's {@link SslHandler}: finds out who the peer is when the handshake is done, before any
 * byte of the peer's passes, and says in words what is wrong if it fails. What is wrong goes on as an exception to the
 * next handler.
 *
 * <p>Of the loop's owner alone.
 */
final class TlsHandshake extends ChannelInboundHandlerAdapter {
    private final TlsCredentials credentials;
    private final SslHandler tls;
    private boolean failed;

    private TlsHandshake(TlsCredentials credentials, SslHandler tls) {
        this.credentials = credentials;
        this.tls = tls;
    }

    /**
     * Puts TLS on a new channel, in front of all other handlers.
     *
     * @param remote whom this side connects to, or null if the peer does
     */
    static void install(Channel channel, TlsCredentials credentials, @Nullable InetSocketAddress remote) {
        SslHandler tls = remote == null
                ? credentials.accepting(channel.alloc())
                : credentials.connecting(channel.alloc(), remote);
        channel.pipeline().addLast("tls", tls).addLast("peer", new TlsHandshake(credentials, tls));
    }

    /** Whether what is written to a channel is encrypted on its way. */
    static boolean isOn(Channel channel) {
        return channel.pipeline().get(SslHandler.class) != null;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (!(event instanceof SslHandshakeCompletionEvent done)) {
            context.fireUserEventTriggered(event);
            return;
        }
        if (!done.isSuccess()) {
            fail(context, done.cause());
            return;
        }
        try {
            PeerAttributes.set(
                    context.channel(), credentials.identify(tls.engine().getSession()));
        } catch (SSLException e) {
            fail(context, e);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(context, cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause);
    }

    private void fail(ChannelHandlerContext context, Throwable cause) {
        if (failed || cause instanceof ClosedChannelException) {
            return; // told already, or about to be as the end of the connection
        }
        failed = true;
        context.fireExceptionCaught(cause instanceof SSLException ? new SSLException(reason(cause), cause) : cause);
        context.close();
    }

    private static String reason(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return "TLS: the peer does not speak it, and this side speaks nothing else; set tls on both sides";
        }
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = "TLS: " + cause.getMessage();
        return root == cause ? text : text + " (" + root.getClass().getSimpleName() + ": " + root.getMessage() + ")";
    }
}
