/**
 * Append queues: circular sequences of chunks that take records of any size from anyone. A claim is one compare-and-set
 * of the tail, a commit turns a negative length positive, and an append never waits for allocation.
 */
@NullMarked
package io.verbena.nic.append;

import org.jspecify.annotations.NullMarked;
