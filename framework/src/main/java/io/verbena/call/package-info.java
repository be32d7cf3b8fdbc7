/**
 * Internal: the parts of calls. Not for users, and without promise of compatibility.
 *
 * <p>{@link io.verbena.call.CallFlyweight} is the header of a request and its response.
 * {@link io.verbena.call.CallTable} holds the outstanding calls: an {@code IntSpscQueue} hands them from the calling
 * thread to the polling thread, and a {@code DeadlineHeap} says which is overdue.
 */
@NullMarked
package io.verbena.call;

import org.jspecify.annotations.NullMarked;
