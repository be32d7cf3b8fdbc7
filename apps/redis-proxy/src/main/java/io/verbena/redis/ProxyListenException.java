package io.verbena.redis;

import org.jspecify.annotations.Nullable;

/** The proxy could not start to listen; the message is one line that says what to do. */
public final class ProxyListenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProxyListenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
