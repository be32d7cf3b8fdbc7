/**
 * Internal: operations on memory of peers. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   RemoteRegion ──▶ RegionBounds                     what it may reach
 *        ▼
 *   RegionOperations ◀── RegisteringOperations        long ones on the application's buffers, which
 *        ▲  ▲                 └──▶ BufferRegistrations   are registered, before one of the others
 *        │  └─────────── MergingOperations            of the package merge
 *   DirectOperations ──▶ RemotePoster ──▶ SendPath    posts
 *        │                    ▼
 *        └──────────▶ RemoteOperations                outstanding operations, and the memory that they use
 *
 *   BlockingOperation                                 one that a thread waits for
 * </pre>
 */
@NullMarked
package io.verbena.remote;

import org.jspecify.annotations.NullMarked;
