/**
 * Internal: what calls are made of. Not for users, and without promise of compatibility.
 *
 * <p>{@link io.verbena.call.CallFlyweight} is the header of a request and its response.
 * {@link io.verbena.call.CallTable} holds the calls that have not ended: an {@code IntSpscQueue} hands them from who
 * makes them to who ends them, and a {@code DeadlineHeap} says which is overdue.
 */
@NullMarked
package io.verbena.call;

import org.jspecify.annotations.NullMarked;
