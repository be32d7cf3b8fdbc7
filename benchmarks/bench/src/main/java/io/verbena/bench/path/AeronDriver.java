package io.verbena.bench.path;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.BitUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.AgentInvoker;

/**
 * An embedded media driver in a directory of its own, in shared memory where there is some. For the thread that opened
 * it.
 */
public final class AeronDriver implements AutoCloseable {
    private static final int MAX_MTU = 65504;
    private static final int HEADER = 32;
    private static final int TERM = 16 << 20;
    private static final int LONG_TERM =
            4 << 20; // 64 KiB messages: 1.5 times the bytes a second of 16 MiB, for they stay in the cache
    private static final int LONG = 4096;
    private static final int MIN_UDP_MTU = 16 << 10;
    private static final int MIN_IPC_MTU = 1408;

    private final MediaDriver driver;
    private final String directory;

    private AeronDriver(MediaDriver.Context context, int length) {
        Path made = Path.of(
                IoUtil.tmpDirName(),
                "verbena-bench-aeron-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        Path fast = Path.of("/dev/shm");
        directory = (Files.isDirectory(fast) ? fast.resolve(made.getFileName()) : made).toString();
        int term = BitUtil.findNextPositivePowerOfTwo(Math.max(length < LONG ? TERM : LONG_TERM, 8 * length));
        driver = MediaDriver.launch(context.aeronDirectoryName(directory)
                .ipcTermBufferLength(term)
                .publicationTermBufferLength(term)
                .ipcMtuLength(mtu(length, MIN_IPC_MTU))
                .mtuLength(mtu(length, MIN_UDP_MTU))
                .termBufferSparseFile(false)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true));
    }

    /** So that a message is one fragment, if it can be. */
    private static int mtu(int length, int least) {
        return Math.min(MAX_MTU, Math.max(least, BitUtil.align(length + HEADER, HEADER)));
    }

    /**
     * For IPC: one thread for everything (SHARED) with Aeron's own idle strategy, which backs off, so that nothing but
     * the two ends spins. It only moves limits; messages do not pass it.
     */
    public static AeronDriver shared(int length) {
        return new AeronDriver(new MediaDriver.Context().threadingMode(ThreadingMode.SHARED), length);
    }

    /** For UDP: no thread; who opens it runs it ({@link #invoker}), so that a message changes no thread on its way. */
    static AeronDriver invoked(int length) {
        return new AeronDriver(new MediaDriver.Context().threadingMode(ThreadingMode.INVOKER), length);
    }

    /** Where clients find it. */
    public String directory() {
        return directory;
    }

    /** Runs a driver without a thread. */
    AgentInvoker invoker() {
        return driver.sharedAgentInvoker();
    }

    @Override
    public void close() {
        driver.close();
    }
}
