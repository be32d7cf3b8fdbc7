package io.verbena.tier;

import io.verbena.OperationHandler;
import io.verbena.SendResult;
import org.agrona.MutableDirectBuffer;

/** A place for copies of blocks, which are as long as blocks are and numbered from 0. Thread-safe; nothing blocks. */
interface Store {
    /** No block. */
    long NONE = -1;

    /** Its number among all stores of the memory, from 0. */
    int number();

    /** Whether what it holds can still be had; once false, always false. */
    boolean isAlive();

    /** Blocks that it has room for. */
    long room();

    /** Takes a block for good. @return its number, or {@link #NONE} if there is no room */
    long take();

    /** Blocks that were taken. */
    long taken();

    /**
     * Reads, as {@link io.verbena.RemoteSession#read}: the handler is called later, by another thread, or before this
     * returns.
     */
    SendResult read(long offset, MutableDirectBuffer target, int index, int length, long id, OperationHandler handler);

    /** Writes, as {@link io.verbena.RemoteSession#write}; the handler is called as for a read. */
    SendResult write(long offset, MutableDirectBuffer source, int index, int length, long id, OperationHandler handler);

    /** Runs what posts operations on a block, which is at that offset, so that they can merge. */
    void together(long offset, Runnable posts);

    /** An operation has failed. */
    void failed();

    /** Its name, in texts. */
    @Override
    String toString();
}
