package io.verbena.bench.suite;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that JMH measures in, of the kind that an engine with sockets has: JMH makes it by its name. */
public final class SocketThreads extends ThreadPoolExecutor {
    /**
     * Made by JMH.
     *
     * @param threads most threads
     * @param prefix of their names
     */
    public SocketThreads(int threads, String prefix) {
        super(
                threads,
                threads,
                1,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                body -> new FastThreadLocalThread(body, prefix));
    }
}
