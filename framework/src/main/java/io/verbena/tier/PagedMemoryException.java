package io.verbena.tier;

import java.io.Serial;

/**
 * An access to a {@link PagedMemory} was not done: a peer did not answer in time, or there is no room. The message is
 * one line that names the page, the peer and the limit. Of a longer access, earlier pages may have been done.
 */
public class PagedMemoryException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    PagedMemoryException(String message) {
        super(message);
    }
}
