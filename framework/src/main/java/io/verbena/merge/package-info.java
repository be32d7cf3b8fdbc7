/**
 * Internal: one queue for the operations of all threads on a remote region, in which they merge, and the window that
 * they wait for (RDMAbox). Not for users, and without promise of compatibility.
 *
 * <pre>
 *   any thread ──▶ MergingOperations ──claim──▶ MergeMemory      bytes of each operation, or where they lie
 *                        │           ──fill───▶ MergeRequests    what is to be done, and how far it is
 *                        ▼
 *                   MergeQueue ──▶ MergePlan                     whoever finds it idle drains it: what waits becomes
 *                        │             ReadsUnderWay             reads and writes that are merged and in order
 *                        │
 *                        ├───────▶ Admission                     bytes in flight of a tenant to a node
 *                        ▼
 *                    SendPath ──▶ queue pair                   of a MergePeer, which a connection leads to
 *                        ⋮
 *   who polls  ◀── MergingOperations ◀── WorkRequests            which operations a completion ends; told in order
 * </pre>
 */
@NullMarked
package io.verbena.merge;

import org.jspecify.annotations.NullMarked;
