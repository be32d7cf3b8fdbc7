package io.verbena.fabric.security;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Blocking sockets that speak mutual TLS 1.3 and nothing else, for what goes beside a fabric's links. The files are
 * read once. Immutable.
 */
public final class TlsSockets {
    private static final String PROTOCOL = "TLSv1.3";
    private static final char[] NO_PASSWORD = {};

    private final SSLContext context;
    private final boolean verifyHost;

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if one of them cannot be used; says which and why
     */
    public TlsSockets(TlsOptions options) {
        this.verifyHost = options.verifyHost;
        try {
            X509Certificate[] chain = Pem.certificates(options.certificate);
            KeyStore own = empty();
            own.setKeyEntry("own", Pem.privateKey(options.key, chain[0]), NO_PASSWORD, chain);
            KeyStore trusted = empty();
            for (X509Certificate authority : Pem.certificates(options.trust)) {
                trusted.setCertificateEntry(Integer.toString(trusted.size()), authority);
            }
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            context = SSLContext.getInstance(PROTOCOL);
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    /** A socket that is not bound; what it accepts shows and asks for a certificate with its first byte. */
    public ServerSocket serverSocket() throws IOException {
        SSLServerSocket server =
                (SSLServerSocket) context.getServerSocketFactory().createServerSocket();
        server.setEnabledProtocols(new String[] {PROTOCOL});
        server.setNeedClientAuth(true);
        return server;
    }

    /**
     * Connects, and does its half of the handshake.
     *
     * @param timeoutMillis most time for each step of it, at least 1
     */
    public Socket connect(InetSocketAddress address, int timeoutMillis) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
        try {
            socket.connect(address, timeoutMillis);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {PROTOCOL});
            if (verifyHost) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(timeoutMillis);
            socket.startHandshake();
            socket.setSoTimeout(0);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
