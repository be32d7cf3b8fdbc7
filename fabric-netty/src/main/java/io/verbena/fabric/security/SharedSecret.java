package io.verbena.fabric.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that both sides of a link know and neither ever sends: each proves it by an HMAC-SHA256 over what both have
 * chosen for this connection. Immutable; its text does not show it.
 */
public final class SharedSecret {
    /** Fewest bytes: from a recorded handshake an attacker can find a shorter or guessable secret by trying. */
    public static final int MIN_LENGTH = 16;

    private static final int MAX_LENGTH = 4096;
    private static final String ALGORITHM = "HmacSHA256";
    private static final Set<PosixFilePermission> OF_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private final SecretKeySpec key;

    /**
     * Takes a secret.
     *
     * @param secret {@value #MIN_LENGTH} to 4096 random bytes; copied
     */
    public SharedSecret(byte[] secret) {
        if (secret.length < MIN_LENGTH || secret.length > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "secret of " + secret.length + " bytes outside " + MIN_LENGTH + ".." + MAX_LENGTH);
        }
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /**
     * Reads a secret from a file that only its owner may read; line ends at its end do not belong to it.
     *
     * @throws IllegalArgumentException if the file cannot be read, others may read it, or its length is out of range
     */
    public static SharedSecret read(Path file) {
        try {
            if (Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains)) {
                throw new IllegalArgumentException("others may read or write the secret in " + file + "; chmod 600 it");
            }
            if (Files.size(file) > MAX_LENGTH) {
                throw new IllegalArgumentException(
                        file + " has " + Files.size(file) + " bytes > maximum " + MAX_LENGTH + " of a secret");
            }
            byte[] bytes = Files.readAllBytes(file);
            int length = bytes.length;
            while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
                length--;
            }
            return new SharedSecret(Arrays.copyOf(bytes, length));
        } catch (IOException e) {
            throw new IllegalArgumentException("the secret cannot be read from " + file + ": " + e, e);
        } catch (UnsupportedOperationException e) {
            throw new UncheckedIOException(new IOException(file + " is on a file system without permissions", e));
        }
    }

    /**
     * What proves that a side knows the secret.
     *
     * @param label of the side and the transport: what is proven in one role or place is worth nothing in another
     */
    byte[] proof(String label, long connectingNic, long acceptingNic, byte[] connectingNonce, byte[] acceptingNonce) {
        byte[] text = label.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer input = ByteBuffer.allocate(
                        Integer.BYTES + text.length + 2 * Long.BYTES + connectingNonce.length + acceptingNonce.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(text.length)
                .put(text)
                .putLong(connectingNic)
                .putLong(acceptingNic)
                .put(connectingNonce)
                .put(acceptingNonce);
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(input.array());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no " + ALGORITHM, e);
        }
    }

    @Override
    public String toString() {
        return "a shared secret";
    }
}
