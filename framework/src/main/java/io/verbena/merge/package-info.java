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
 *   flight recorder ◀── MergingRecorder ◀── Admissions            what the queues of a tenant have done
 * </pre>
 *
 * <p>There is a queue for each region and queue pair, not one of the process's for all reads and one for all writes as
 * in RDMAbox. A work request names one region's key and goes by one queue pair, so operations of two regions never
 * merge; a queue of all would make their threads wait for one drainer, and a slow peer would hold up the others. Reads
 * and writes share a queue because the order of those on the same bytes is promised. What it costs: regions to one peer
 * do not share doorbells, and what is adjacent across regions does not merge. Bytes in flight are counted over all
 * regions of a tenant to a node.
 */
@NullMarked
package io.verbena.merge;

import org.jspecify.annotations.NullMarked;
