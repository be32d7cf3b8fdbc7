package io.verbena.nic;

/**
 * A request of a list or a batch can never be executed. Of a list, the requests before it are posted ({@code bad_wr} of
 * {@code ibv_post_send(3)}); of a batch, none.
 */
public final class BadRequestException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int index;

    BadRequestException(int index, RuntimeException cause) {
        super("request " + index + ": " + cause.getMessage(), cause);
        this.index = index;
    }

    /** Place of the bad request, from 0. */
    public int index() {
        return index;
    }
}
