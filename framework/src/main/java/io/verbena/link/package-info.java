/**
 * Internal: a node's links to other processes, and where its memory lies. Not for users, and without promise of
 * compatibility.
 *
 * <p>{@link io.verbena.link.Links} holds the fabrics behind addresses, {@link io.verbena.link.NodeMemory} chooses
 * between memory of this process and shared memory.
 */
@NullMarked
package io.verbena.link;

import org.jspecify.annotations.NullMarked;
