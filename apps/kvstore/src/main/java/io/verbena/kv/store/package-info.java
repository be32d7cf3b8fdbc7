/**
 * A shard of the store: keys and values in off-heap memory with one owner.
 *
 * <pre>
 *   {@link io.verbena.kv.store.Shard} -- dispatch by operation --> StringOperations, ListOperations, ...
 *                                                    |
 *   Keyspace (one a database): Dictionary of keys, ExpiryHeap, EvictionPool
 *                                                    |
 *   values: StringBlock, QuickList, PackedList, IntegerSet, Dictionary, SkipList
 *                                                    |
 *   Allocator: size classes, runs of pages, extents -> Regions, Memory: addresses in regions
 *                                                  -> ChunkSource: direct memory of the process, up to a budget
 * </pre>
 *
 * <p>Values longer than a message come and go in pieces: a {@link io.verbena.kv.store.ClientTransfers} a client holds
 * the extents that it fills (uploads) and those that it reads (streams).
 *
 * <p>Nothing here is shared between threads, knows the network or asks for the time by itself.
 */
@NullMarked
package io.verbena.kv.store;

import org.jspecify.annotations.NullMarked;
