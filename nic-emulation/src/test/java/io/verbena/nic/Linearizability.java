package io.verbena.nic;

import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Runs random short programs on a structure, and asks for each whether some order of its operations explains the
 * results. In Lincheck's stress mode: its model checker does not see accesses to memory outside the heap.
 */
public final class Linearizability {
    private Linearizability() {}

    /**
     * Checks a structure.
     *
     * @param threads that use it
     * @param operations of each thread
     * @param after operations of one thread at the end
     */
    public static void check(Class<?> structure, Class<?> specification, int threads, int operations, int after) {
        new StressOptions()
                .iterations(5)
                .invocationsPerIteration(50)
                .threads(threads)
                .actorsPerThread(operations)
                .actorsBefore(1)
                .actorsAfter(after)
                .sequentialSpecification(specification)
                .check(structure);
    }
}
