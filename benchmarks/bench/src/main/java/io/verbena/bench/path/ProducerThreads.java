package io.verbena.bench.path;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * The producers of a near end beside its first, each with a thread of its own, which opens it, works with it and closes
 * it. For the end's thread.
 */
final class ProducerThreads implements AutoCloseable {
    private final List<ExecutorService> threads = new ArrayList<>();
    private final List<Producer> producers = new ArrayList<>();
    private final List<Future<?>> running = new ArrayList<>();

    /**
     * Opens producers, one after the other.
     *
     * @param count how many, the first not counted
     * @param opener makes producer 1, 2 and so on, in its thread
     * @param idle a turn of what must go on meanwhile
     */
    ProducerThreads(int count, IntFunction<Producer> opener, Runnable idle) {
        try {
            for (int i = 1; i <= count; i++) {
                int index = i;
                ExecutorService thread = Executors.newSingleThreadExecutor(task -> daemon(task, "producer-" + index));
                threads.add(thread);
                Future<Producer> opened = thread.submit(() -> opener.apply(index));
                await(opened, idle);
                producers.add(value(opened));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread made = new FastThreadLocalThread(task, name);
        made.setDaemon(true);
        return made;
    }

    private static void await(Future<?> future, Runnable idle) {
        WaitLimit deadline = WaitLimit.ofSeconds(20, "producer");
        while (!future.isDone()) {
            idle.run();
            deadline.run();
        }
    }

    private static <T> T value(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new RunException("a producer failed: " + cause.getMessage(), cause);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    /** Starts work of all. */
    void begin(End.Work work) {
        running.clear();
        for (int i = 0; i < producers.size(); i++) {
            Producer producer = producers.get(i);
            int index = i + 1;
            running.add(threads.get(i).submit(() -> {
                work.run(producer, index);
                producer.drain();
            }));
        }
    }

    /** Whether all have ended; throws what one has thrown. */
    boolean areIdle() {
        boolean idle = true;
        for (Future<?> each : running) {
            if (each.isDone()) {
                value(each);
            } else {
                idle = false;
            }
        }
        return idle;
    }

    @Override
    public void close() {
        for (int i = 0; i < threads.size(); i++) {
            if (i < producers.size() && producers.get(i) instanceof AutoCloseable closing) {
                threads.get(i).submit(() -> {
                    closing.close();
                    return closing;
                });
            }
            threads.get(i).shutdown();
        }
        try {
            for (ExecutorService thread : threads) {
                if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
                    throw new RunException("a producer has not ended within 10 s");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
