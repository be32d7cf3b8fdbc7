package io.verbena.fabric.netty;

import io.verbena.fabric.HelloFlyweight;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the two ends of a connection have in common: the random nonces of both their hellos. By it either end proves on
 * a later connection that it is the one that was linked before, and nobody else is, but for those who can read what
 * goes over connections; against them stands what encrypts and authenticates connections.
 *
 * <p>A proof is the HMAC-SHA-256 of the step and of the new connection's nonces, keyed with those of the old one: it is
 * of use on no other connection, and says nothing about its key. Immutable.
 */
final class LinkSecret {
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] nonces;

    /**
     * Creates the secret of a connection.
     *
     * @param caller nonce of the side that connected
     * @param answerer nonce of the side that was called
     */
    LinkSecret(byte[] caller, byte[] answerer) {
        nonces = Arrays.copyOf(caller, caller.length + answerer.length);
        System.arraycopy(answerer, 0, nonces, caller.length, answerer.length);
    }

    /** A nonce that nobody can foresee. */
    static byte[] newNonce() {
        byte[] nonce = new byte[HelloFlyweight.NONCE_LENGTH];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /**
     * Proves on a new connection that this side has the secret of an old one, which this is.
     *
     * @param step of the hello that carries the proof
     * @param connection the new one
     */
    byte[] proof(int step, LinkSecret connection) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(nonces, ALGORITHM));
            mac.update((byte) step);
            return mac.doFinal(connection.nonces);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java lacks " + ALGORITHM, e); // every one has it
        }
    }

    /** Whether a proof that came on a new connection is one, in a time that does not depend on what it is. */
    boolean isProvenBy(byte[] proof, int step, LinkSecret connection) {
        return MessageDigest.isEqual(proof(step, connection), proof);
    }
}
