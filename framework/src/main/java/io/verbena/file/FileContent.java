package io.verbena.file;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.tier.NoRoomException;
import io.verbena.tier.PageLostException;
import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedMemoryException;
import io.verbena.tier.PagedOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import org.agrona.collections.Hashing;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file: which of its blocks is which block of the memory. Blocks that were never written are holes,
 * which take no room. Bytes of a block behind the end of the file are 0.
 *
 * <p>Thread-safe. Reads, and writes to blocks that the file has, share a lock, so that they run beside each other; what
 * changes blocks or size has it alone. The lock is held during I/O, which ends within the memory's timeout for each
 * page, or as soon as the {@link Opener} is gone. A read or a write within a page is atomic.
 */
final class FileContent {
    /** The longest file: 256 TiB. */
    static final long MAX_SIZE = (long) Integer.MAX_VALUE * BlockPool.BLOCK;

    private static final int BLOCK = BlockPool.BLOCK;
    private static final int PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;
    private static final int FLUSH = 64; // blocks that are flushed together
    private static final UnsafeBuffer ZEROS = new UnsafeBuffer(new byte[PAGE]);

    private final BlockPool pool;
    private final PagedMemory memory;
    private final Duration timeout;
    // its readers share no iterator
    private final Int2IntHashMap blocks = new Int2IntHashMap(8, Hashing.DEFAULT_LOAD_FACTOR, BlockPool.NONE, false);
    private final ContentLock lock = new ContentLock();
    private volatile long size;

    FileContent(BlockPool pool, Duration timeout) {
        this.pool = pool;
        this.memory = pool.memory();
        this.timeout = timeout;
    }

    /** Bytes. */
    long size() {
        return size;
    }

    // ---- reading ----------------------------------------------------------------------------------------------------

    /** Reads. @return how many bytes, or -1 at the end */
    int read(long position, ByteBuffer target, Opener opener) throws IOException {
        Lock shared = lock.share(opener);
        try {
            long left = size - position;
            if (left <= 0 || !target.hasRemaining()) {
                return target.hasRemaining() ? -1 : 0;
            }
            int length = (int) Math.min(target.remaining(), left);
            int done = readPages(position, new UnsafeBuffer(target, target.position(), length), length, opener);
            target.position(target.position() + done);
            return done;
        } finally {
            shared.unlock();
        }
    }

    private int readPages(long position, UnsafeBuffer target, int length, Opener opener) throws IOException {
        for (int done = 0; done < length; ) {
            long at = position + done;
            int block = blocks.get(index(at));
            int piece = Math.min(length - done, BLOCK - inBlock(at));
            if (block == BlockPool.NONE) {
                target.setMemory(done, piece, (byte) 0);
                done += piece;
                continue;
            }
            for (int end = done + piece; done < end; ) {
                at = position + done;
                int part = Math.min(end - done, PAGE - inPage(at));
                long offset = BlockPool.offset(block) + inBlock(at);
                try {
                    memory.read(offset, target, done, part, opener.gone());
                } catch (PagedMemoryException | MemoryExhaustedException | IllegalStateException e) {
                    return doneBefore(done, opener.failed(e, at, offset));
                }
                done += part;
            }
        }
        return length;
    }

    /** What was done before something failed counts: whoever goes on meets the failure again. */
    private static int doneBefore(int done, IOException failure) throws IOException {
        if (done == 0) {
            throw failure;
        }
        return done;
    }

    // ---- writing ----------------------------------------------------------------------------------------------------

    /** Writes all that there is room for. @return how many bytes */
    int write(long position, ByteBuffer source, Opener opener) throws IOException {
        int length = source.remaining();
        if (length == 0) {
            return 0;
        }
        Lock shared = lock.share(opener);
        try {
            if (hasAll(position, length)) {
                return writePages(position, source, opener);
            }
        } finally {
            shared.unlock();
        }
        Lock alone = lock.own(opener);
        try {
            return extend(position, source, opener);
        } finally {
            alone.unlock();
        }
    }

    /** Writes behind the last byte. @return where the written bytes end */
    long append(ByteBuffer source, Opener opener) throws IOException {
        Lock alone = lock.own(opener);
        try {
            long position = size;
            return position + (source.hasRemaining() ? extend(position, source, opener) : 0);
        } finally {
            alone.unlock();
        }
    }

    private boolean hasAll(long position, int length) {
        if (length > size - position) {
            return false;
        }
        int last = index(position + length - 1);
        for (int i = index(position); i <= last; i++) {
            if (blocks.get(i) == BlockPool.NONE) {
                return false;
            }
        }
        return true;
    }

    private int extend(long position, ByteBuffer source, Opener opener) throws IOException {
        if (position > MAX_SIZE - source.remaining()) {
            throw opener.failed("File too large: byte " + position + " + " + source.remaining()
                    + " lies behind the longest file's " + MAX_SIZE + " bytes");
        }
        int done = writePages(position, source, opener);
        size = Math.max(size, position + done);
        return done;
    }

    /** Writes to blocks, and takes those that the file lacks, which needs the lock alone. */
    private int writePages(long position, ByteBuffer source, Opener opener) throws IOException {
        int length = source.remaining();
        UnsafeBuffer bytes = new UnsafeBuffer(source, source.position(), length);
        int done = 0;
        IOException failure = null;
        IOException refusal = null;
        while (done < length && failure == null) {
            long at = position + done;
            int known = blocks.get(index(at));
            int block = known == BlockPool.NONE ? pool.take() : known;
            if (block == BlockPool.NONE) {
                failure = refusal == null ? noSpace(opener) : refusal;
                break;
            }
            int from = done;
            for (int end = Math.min(length, done + BLOCK - inBlock(at)); done < end && failure == null; ) {
                int part = Math.min(end - done, PAGE - inPage(position + done));
                failure = writePart(block, position + done, bytes, done, part, opener);
                done += failure == null ? part : 0;
            }
            if (block != known && done > from) {
                blocks.put(index(at), block);
            } else if (block != known && failure != null && failure.getCause() instanceof NoRoomException) {
                pool.refuse(block);
                refusal = failure;
                failure = null; // another may have its place already
            } else if (block != known) {
                pool.give(block);
            }
        }
        if (failure != null) {
            doneBefore(done, failure);
        }
        source.position(source.position() + done);
        return done;
    }

    private @Nullable IOException writePart(
            int block, long position, UnsafeBuffer source, int index, int length, Opener opener) {
        long offset = BlockPool.offset(block) + inBlock(position);
        try {
            memory.write(offset, source, index, length, opener.gone());
            return null;
        } catch (PagedMemoryException | MemoryExhaustedException | IllegalStateException e) {
            return opener.failed(e, position, offset);
        }
    }

    private IOException noSpace(Opener opener) {
        int used = pool.used();
        return opener.failed(
                used == pool.count()
                        ? "No space left: all " + used + " blocks of " + BLOCK + " bytes are used"
                        : "No space left: " + used + " of " + pool.count() + " blocks of " + BLOCK
                                + " bytes are used, and the peers that are left have no room for others");
    }

    // ---- size -------------------------------------------------------------------------------------------------------

    /** Cuts off what lies behind a size; a file that is not longer stays as it is. */
    void truncate(long to, Opener opener) throws IOException {
        Lock alone = lock.own(opener);
        try {
            if (to < size) {
                zeroTail(to, opener);
                release(index(to + BLOCK - 1));
                size = to;
            }
        } finally {
            alone.unlock();
        }
    }

    /** Zeroes the rest of the block that the file ends in. */
    private void zeroTail(long to, Opener opener) throws IOException {
        int block = inBlock(to) == 0 ? BlockPool.NONE : blocks.get(index(to));
        if (block == BlockPool.NONE) {
            return;
        }
        int rest = (PAGE - inPage(to)) & (PAGE - 1);
        IOException failure = rest == 0 ? null : writePart(block, to, ZEROS, 0, rest, opener);
        if (failure != null) {
            throw failure;
        }
        int whole = inBlock(to) + rest;
        memory.discard(BlockPool.offset(block) + whole, BLOCK - whole);
    }

    /** Makes the file as long as another that it is a copy of. */
    private void lengthen(long to, Opener opener) throws IOException {
        Lock alone = lock.own(opener);
        try {
            size = Math.max(size, to);
        } finally {
            alone.unlock();
        }
    }

    /** Gives all blocks back: nobody has the file any more. Waits until those have left who were using it. */
    void release() {
        Lock alone = lock.own();
        try {
            release(0);
            size = 0;
        } finally {
            alone.unlock();
        }
    }

    private void release(int from) {
        for (int index : held(from, Integer.MAX_VALUE)) {
            pool.give(blocks.remove(index));
        }
    }

    /** Which of its blocks the file has, in order. */
    private int[] held(int from, int to) {
        int[] found = new int[Math.min(to - from, blocks.size())];
        int count = 0;
        if (to - from <= blocks.size()) {
            for (int i = from; i < to; i++) {
                if (blocks.containsKey(i)) {
                    found[count++] = i;
                }
            }
            return Arrays.copyOf(found, count);
        }
        Int2IntHashMap.KeyIterator each = blocks.keySet().iterator();
        while (each.hasNext()) {
            int index = each.nextValue();
            if (index >= from && index < to) {
                found[count++] = index;
            }
        }
        Arrays.sort(found, 0, count);
        return Arrays.copyOf(found, count);
    }

    // ---- all of it --------------------------------------------------------------------------------------------------

    /** Copies another file into this one, which is empty; holes stay holes. */
    void copyOf(FileContent other, Opener from, Opener to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BLOCK);
        long end = other.size();
        for (int index : other.held(from)) {
            long at = (long) index * BLOCK;
            buffer.clear();
            while (buffer.hasRemaining() && other.read(at + buffer.position(), buffer, from) > 0) {
                // a read may end before a page that fails, which the next one tells
            }
            buffer.flip();
            for (long target = at; buffer.hasRemaining(); ) {
                target += write(target, buffer, to);
            }
        }
        lengthen(end, to);
    }

    /** Which of its blocks the file has now, in order. */
    int[] held(Opener opener) throws IOException {
        Lock shared = lock.share(opener);
        try {
            return held(0, Integer.MAX_VALUE);
        } finally {
            shared.unlock();
        }
    }

    /** Waits until what was written to a range is with its peers. */
    void force(long position, long length, Opener opener) throws IOException {
        Lock shared = lock.share(opener);
        try {
            long end = Math.min(size, position + length);
            int[] held = held(index(position), index(Math.max(position, end + BLOCK - 1)));
            for (int i = 0; i < held.length; i++) {
                held[i] = blocks.get(held[i]);
            }
            Arrays.sort(held);
            int first = 0;
            for (int i = 1; i <= held.length; i++) {
                if (i == held.length || held[i] != held[i - 1] + 1 || i - first == FLUSH) {
                    flush(held[first], i - first, opener);
                    first = i;
                }
            }
        } finally {
            shared.unlock();
        }
    }

    private void flush(int block, int count, Opener opener) throws IOException {
        try {
            memory.flush(BlockPool.offset(block), (long) count * BLOCK, timeout, opener.gone());
        } catch (PageLostException e) {
            throw opener.failed(e, position(e.offset()), e.offset());
        } catch (PagedMemoryException | MemoryExhaustedException | IllegalStateException e) {
            IOException failure = opener.failed("what was written is not with the peers: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** Where in the file a byte of the memory is, which is in one of its blocks. */
    private long position(long offset) {
        int block = (int) (offset / BLOCK);
        int index = Arrays.stream(held(0, Integer.MAX_VALUE))
                .filter(each -> blocks.get(each) == block)
                .findFirst()
                .orElseThrow();
        return (long) index * BLOCK + inBlock(offset);
    }

    // ---- parts ------------------------------------------------------------------------------------------------------

    private static int index(long position) {
        return (int) (position / BLOCK);
    }

    private static int inBlock(long position) {
        return (int) (position & (BLOCK - 1));
    }

    private static int inPage(long position) {
        return (int) (position & (PAGE - 1));
    }
}
