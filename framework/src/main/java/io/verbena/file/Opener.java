package io.verbena.file;

import io.verbena.tier.PageLostException;
import java.nio.file.FileSystemException;
import java.util.function.BooleanSupplier;

/**
 * On whose behalf a file's content is used.
 *
 * @param path of the file, for messages
 * @param gone whether nobody waits for it any more: the channel is closed, or the thread interrupted
 */
record Opener(String path, BooleanSupplier gone) {
    /** One that stays until it is done, or this thread is interrupted. */
    static Opener of(RemotePath path) {
        return new Opener(path.toString(), Thread.currentThread()::isInterrupted);
    }

    FileSystemException failed(String reason) {
        return new FileSystemException(path, null, reason);
    }

    /**
     * What became of an access to the memory, in the file's terms.
     *
     * @param position in the file of the byte that is at {@code offset} in the memory
     */
    FileSystemException failed(RuntimeException e, long position, long offset) {
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
