package io.verbena.bench.scale;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Processor time, as the JVM tells it. */
final class ProcessorTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ProcessorTime() {}

    /** Nanoseconds that the calling thread has run. */
    static long ofThread() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
