/**
 * Work and completion rings: fixed-size slots in off-heap buffers, one {@code *Descriptor} a memory layout with its
 * offsets computed once. No threads and no locks; who writes and who reads stands at the top of each class.
 */
@NullMarked
package io.verbena.nic.queue;

import org.jspecify.annotations.NullMarked;
