package io.verbena.link;

import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a node's links are made with.
 *
 * @param ringLength bytes of the rings of shared memory, as this node wants them
 * @param tls for TCP, or null
 * @param secret that peers prove to know, or null
 * @param allowedUsers who may connect by Unix-domain sockets; empty for this process's own user
 * @param insecure whether it may listen beyond this machine without either
 */
public record LinkSettings(
        int ringLength,
        @Nullable TlsCredentials tls,
        @Nullable SharedSecret secret,
        Set<Integer> allowedUsers,
        boolean insecure) {}
