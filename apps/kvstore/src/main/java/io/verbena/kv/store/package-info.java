/**
 * A shard of the store: keys and values in off-heap memory with one owner.
 *
 * <pre>
 *   {@link io.verbena.kv.store.Shard} -- Operations --> StringOperations, ListOperations, ...
 *                                                    |
 *   Keyspace (one per database): Dictionary of keys, ExpiryHeap, EvictionPool -> ReadIndex: what clients READ
 *                                                    |
 *   values: StringBlock, QuickList, PackedList, IntegerSet, Dictionary, SkipList
 *                                                    |
 *   Allocator: size classes, runs of pages, extents -> Regions, Memory: addresses in regions
 *                                                  -> ChunkSource: direct memory of the process, up to a budget
 * </pre>
 *
 * <p>Values longer than a message come and go in pieces: one {@link io.verbena.kv.store.ClientTransfers} per client
 * holds the extents that it fills (uploads) and those that it reads (streams).
 *
 * <p>Nothing here is shared between threads, knows the network or reads the clock by itself.
 */
@NullMarked
package io.verbena.kv.store;

import org.jspecify.annotations.NullMarked;
