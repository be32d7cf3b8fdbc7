/**
 * Memory that is larger than this process: {@link io.verbena.tier.PagedMemory} keeps a part of its pages in local
 * frames and the others in the memory of peers, as the remote paging of the RDMAbox paper does (section VI).
 *
 * <pre>
 *   any thread ──▶ PagedMemory ──▶ Block            a page table for 32 pages, and where their copies are
 *                       │            │ hit: a copy from or to Frames, under the block's lock
 *                       │ fault      ▼
 *                       ├────────▶ Pager ──▶ Clock  which frame is used again; what is written before that
 *                       │            │
 *                   ReadAhead ───────┤ posts, and waits without a lock
 *                                    ▼
 *                                  Store ◀── Stores  which peers have room for a block
 *                                 ╱     ╲
 *                        PeerStore       FileStore   the last resort
 *                            ▼
 *                      RemoteSession ──▶ merge queues ──▶ peers
 *
 *   Keeper   a thread that notices a peer's death, and copies what has one replica left
 * </pre>
 */
@NullMarked
package io.verbena.tier;

import org.jspecify.annotations.NullMarked;
