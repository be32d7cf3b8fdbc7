package io.verbena.fabric.security;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.verbena.fabric.Nanos;
import io.verbena.nic.port.LogRateLimiter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates, key and trust of one side, as the files have them now: a handshake that begins
 * {@link TlsOptions#reload} after the last look, or later, looks whether they have changed. Files that cannot be used
 * leave what was there in force, and are logged and looked at again; so a certificate and its key may be replaced one
 * after the other.
 *
 * <p>The slow steps of handshakes run on a thread beside the loops, so that a flood of handshakes does not stop links.
 *
 * <p>Thread-safe.
 */
public final class TlsCredentials {
    private static final Logger LOG = LoggerFactory.getLogger(TlsCredentials.class);
    private static final LogRateLimiter RELOAD_FAILURES = new LogRateLimiter();
    private static final String PROTOCOL = "TLSv1.3";
    private static final long CLOSE_MILLIS = 1000;
    private static final byte[] PROBE = {'v', 'e', 'r', 'b', 'e', 'n', 'a'};

    /**
     * Names of the types of a subject alternative name, of which those that stand for a machine or service are taken.
     */
    private static final int DNS_NAME = 2;

    private static final int URI_NAME = 6;
    private static final int IP_NAME = 7;

    /** Of all nodes: bounded by the connections, each of which has at most one step to do. */
    private static final ThreadPoolExecutor STEPS = steps();

    private final TlsOptions options;
    private final SslProvider provider;

    // Under this.
    private Loaded loaded;
    private long lookedAt;

    /** What tells a file from a later one of the same name. */
    private record Stamp(
            long modified, long length, @Nullable Object key) {
        static Stamp of(Path file) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(
                    attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), attributes.size(), attributes.fileKey());
        }
    }

    private record Loaded(List<Stamp> stamps, SslContext server, SslContext client) {}

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if one of them cannot be used; says which and why
     * @throws IllegalStateException if the provider is not there
     */
    public TlsCredentials(TlsOptions options) {
        this.options = new TlsOptions(options);
        this.provider = options.provider.provider();
        try {
            this.loaded = load(stamps());
        } catch (IOException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + reason(e), e);
        }
        this.lookedAt = System.nanoTime();
    }

    private static ThreadPoolExecutor steps() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "verbena-tls");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** What a connection that came in puts first. */
    public SslHandler accepting(ByteBufAllocator allocator) {
        return bounded(current().server.newHandler(allocator, STEPS));
    }

    /** What a connection to a peer puts first. */
    public SslHandler connecting(ByteBufAllocator allocator, InetSocketAddress peer) {
        return bounded(current().client.newHandler(allocator, peer.getHostString(), peer.getPort(), STEPS));
    }

    /** The time for the handshake is the hello's, which the fabric watches. */
    private static SslHandler bounded(SslHandler handler) {
        handler.setHandshakeTimeoutMillis(0);
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
        return handler;
    }

    /**
     * Who is at the other end of a connection whose handshake is done. Also holds for sessions that were resumed, since
     * the certificate is looked at each time.
     *
     * @throws SSLPeerUnverifiedException if it is nobody that is accepted; says why
     */
    public PeerIdentity identify(SSLSession session) throws SSLPeerUnverifiedException {
        X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
        List<String> names;
        try {
            certificate.checkValidity();
            names = names(certificate);
        } catch (GeneralSecurityException e) {
            throw new SSLPeerUnverifiedException("its certificate is not valid: " + e.getMessage());
        }
        PeerIdentity identity = options.rules.identify(names);
        if (identity == null) {
            throw new SSLPeerUnverifiedException(
                    "no rule accepts one of the names " + names + " of its certificate; add one to the PeerRules");
        }
        return identity;
    }

    /**
     * The names that a certificate is for: subject alternative names, and only without any of those its common name.
     */
    static List<String> names(X509Certificate certificate) throws CertificateParsingException {
        List<String> names = new ArrayList<>();
        Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> alternative : alternatives) {
                int type = (Integer) alternative.get(0);
                if (type == DNS_NAME || type == URI_NAME || type == IP_NAME) {
                    names.add((String) alternative.get(1));
                }
            }
        }
        return names.isEmpty() && alternatives == null ? commonName(certificate) : names;
    }

    private static List<String> commonName(X509Certificate certificate) throws CertificateParsingException {
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
                    return List.of(name);
                }
            }
            return List.of();
        } catch (InvalidNameException e) {
            throw new CertificateParsingException(e.getMessage(), e);
        }
    }

    private synchronized Loaded current() {
        long now = System.nanoTime();
        if (now - lookedAt < Nanos.of(options.reload)) {
            return loaded;
        }
        lookedAt = now;
        try {
            List<Stamp> stamps = stamps();
            if (!stamps.equals(loaded.stamps)) {
                loaded = load(stamps);
                LOG.info(
                        "TLS: {}, {} or {} changed and were read again",
                        options.certificate,
                        options.key,
                        options.trust);
            }
        } catch (IOException e) {
            long leftOut = RELOAD_FAILURES.ask(now);
            if (leftOut >= 0) {
                LOG.warn(
                        "TLS goes on with what it had, because files changed and cannot "
                                + "be used: {}; {} such lines left out",
                        reason(e),
                        leftOut);
            }
        }
        return loaded;
    }

    private List<Stamp> stamps() throws IOException {
        return List.of(Stamp.of(options.certificate), Stamp.of(options.key), Stamp.of(options.trust));
    }

    private Loaded load(List<Stamp> stamps) throws IOException {
        X509Certificate[] chain = Pem.certificates(options.certificate);
        PrivateKey key = Pem.privateKey(options.key, chain[0]);
        checkPair(chain[0], key);
        X509Certificate[] trusted = Pem.certificates(options.trust);
        SslContextBuilder server = SslContextBuilder.forServer(key, chain)
                .sslProvider(provider)
                .protocols(PROTOCOL)
                .trustManager(trusted)
                .clientAuth(ClientAuth.REQUIRE);
        SslContextBuilder client = SslContextBuilder.forClient()
                .keyManager(key, chain)
                .sslProvider(provider)
                .protocols(PROTOCOL)
                .trustManager(trusted)
                .endpointIdentificationAlgorithm(options.verifyHost ? "HTTPS" : null);
        return new Loaded(stamps, server.build(), client.build());
    }

    /** A pair that is none would be found only by peers. */
    private void checkPair(X509Certificate certificate, PrivateKey key) throws IOException {
        String algorithm = key.getAlgorithm();
        try {
            Signature signature = Signature.getInstance(
                    algorithm.equals("RSA") ? "SHA256withRSA" : algorithm.equals("EC") ? "SHA256withECDSA" : algorithm);
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(PROBE);
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(options.key + " cannot sign: " + e.getMessage(), e);
        }
        throw new IOException(options.key + " is not the key of the certificate in " + options.certificate);
    }

    private static String reason(IOException e) {
        String message = String.valueOf(e.getMessage());
        return e instanceof java.nio.file.NoSuchFileException ? "there is no file " + message : message;
    }
}
