/**
 * Internal: what calls are made of. Not for users, and without promise of compatibility.
 *
 * <p>{@link io.verbena.call.CallFlyweight} is the header of a request and its response;
 * {@link io.verbena.call.IntSpscQueue} hands calls from who makes them to who ends them, and
 * {@link io.verbena.call.DeadlineHeap} says which is overdue.
 */
@NullMarked
package io.verbena.call;

import org.jspecify.annotations.NullMarked;
