package io.verbena.fabric.security;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Mutual TLS 1.3: whom this side shows itself as, whom it trusts, and who a peer is by its certificate. A side that has
 * these speaks nothing else on TCP, and asks every peer for a certificate.
 *
 * <pre>{@code
 *   new TlsOptions(Path.of("node.pem"), Path.of("node.key"), Path.of("ca.pem"))
 *       .rules(PeerRules.none().accept("*.orders.example", "orders"))
 * }</pre>
 *
 * <p>The files are PEM, and are read again when they change, for connections from then on. Fluent setters over
 * defaults; mutable, not thread-safe.
 */
public final class TlsOptions {
    final Path certificate;
    final Path key;
    final Path trust;
    PeerRules rules = PeerRules.anyTrusted();
    boolean verifyHost = true;
    TlsProvider provider = TlsProvider.AUTO;
    Duration reload = Duration.ofSeconds(1);

    /**
     * Creates options with the defaults.
     *
     * @param certificate this side's certificate, and behind it the intermediate ones
     * @param key its private key, PKCS #8 without a password ({@code BEGIN PRIVATE KEY}): RSA, EC or EdDSA
     * @param trust certificates of the authorities whose peers are trusted
     */
    public TlsOptions(Path certificate, Path key, Path trust) {
        this.certificate = certificate;
        this.key = key;
        this.trust = trust;
    }

    /** Creates a copy. */
    public TlsOptions(TlsOptions other) {
        this(other.certificate, other.key, other.trust);
        rules = other.rules;
        verifyHost = other.verifyHost;
        provider = other.provider;
        reload = other.reload;
    }

    /** Which certificates' names are accepted, and as whom. Every trusted one, by default. */
    public TlsOptions rules(PeerRules peerRules) {
        rules = peerRules;
        return this;
    }

    /**
     * Whether a side that connects also compares the peer's certificate with the host that it connects to, as browsers
     * do. On by default; where it is off, {@link #rules} alone say who may answer.
     */
    public TlsOptions verifyHost(boolean wanted) {
        verifyHost = wanted;
        return this;
    }

    /** Who does the arithmetic. {@link TlsProvider#AUTO} by default. */
    public TlsOptions provider(TlsProvider tlsProvider) {
        provider = tlsProvider;
        return this;
    }

    /** How long after a look at the files a handshake looks again, at least 0; 1 s by default. */
    public TlsOptions reload(Duration interval) {
        if (interval.isNegative()) {
            throw new IllegalArgumentException("reload " + interval + " < minimum 0");
        }
        reload = interval;
        return this;
    }
}
