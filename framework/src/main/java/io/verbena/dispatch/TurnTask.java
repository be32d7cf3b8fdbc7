package io.verbena.dispatch;

import org.jspecify.annotations.Nullable;

/** Work of a node's turns that may run a tenant's callbacks, such as looking for calls that are overdue. */
public interface TurnTask extends TurnWork {
    /**
     * Whose callbacks it runs, by whoever runs those: the node's thread mostly.
     *
     * @return null if it runs none; any thread may do it then
     */
    @Nullable
    TenantCallbacks callbacks();

    /**
     * The node ends: nothing begins any more. Any thread, after the last {@link #doWork}.
     *
     * @return whether nothing of the task is under way on another thread
     */
    default boolean end() {
        return true;
    }
}
