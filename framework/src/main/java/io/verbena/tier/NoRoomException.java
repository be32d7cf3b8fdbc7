package io.verbena.tier;

import java.io.Serial;

/**
 * A block has no place, and no peer that is left has room for it. That remains so: peers that were lost are not used
 * again. The message names the block and what room there is.
 */
public final class NoRoomException extends PagedMemoryException {
    @Serial
    private static final long serialVersionUID = 1L;

    NoRoomException(String message) {
        super(message);
    }
}
