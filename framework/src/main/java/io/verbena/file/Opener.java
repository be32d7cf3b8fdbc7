package io.verbena.file;

import io.verbena.tier.PageLostException;
import io.verbena.tier.PagedMemoryException;
import java.nio.file.FileSystemException;
import java.util.function.BooleanSupplier;

/**
 * On whose behalf a file's content is used.
 *
 * @param path of the file, for messages
 * @param gone whether the channel is closed, so that nobody waits for it any more
 */
record Opener(String path, BooleanSupplier gone) {
    private static final BooleanSupplier NEVER = () -> false;

    /** One that stays until it is done. */
    static Opener of(RemotePath path) {
        return new Opener(path.toString(), NEVER);
    }

    FileSystemException failed(String reason) {
        return new FileSystemException(path, null, reason);
    }

    /**
     * What became of an access to the memory, in the file's terms.
     *
     * @param position in the file of the byte that is at {@code offset} in the memory
     */
    FileSystemException failed(PagedMemoryException e, long position, long offset) {
        FileSystemException failure = failed(
                e instanceof PageLostException lost
                        ? range(position + lost.offset() - offset, lost)
                        : "byte " + position + " and what follows: " + e.getMessage());
        failure.initCause(e);
        return failure;
    }

    private static String range(long from, PageLostException lost) {
        return "bytes " + from + " to " + (from + lost.length() - 1) + " are lost with " + lost.peer()
                + ", which alone had them; write all of them to use them again";
    }
}
