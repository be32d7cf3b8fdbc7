package io.verbena.verification.fabric;

import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import org.jspecify.annotations.Nullable;

/**
 * What protects the links of a node over sockets.
 *
 * @param tls for TCP: mutual TLS and nothing else; null for none
 * @param secret that both sides prove to know where there is no TLS; null for none
 */
public record LinkSecurity(
        @Nullable TlsCredentials tls, @Nullable SharedSecret secret) {
    /** Nothing does. */
    public static final LinkSecurity NONE = new LinkSecurity(null, null);

    /** Whether anything does. */
    public boolean isOn() {
        return tls != null || secret != null;
    }
}
