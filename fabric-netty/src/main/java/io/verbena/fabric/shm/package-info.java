/**
 * Links within a host: between NICs of one process, and between processes that share memory.
 *
 * <pre>
 *   /dev/shm/verbena-alice/                 one per user, mode 0700
 *      .lock                                held while directories come and go
 *      9f3c.../                             one per NIC
 *         lock                              held while its process lives
 *         control                           the NIC's control block
 *         segment-1, segment-2, ...         data, one file each, unlinked when retired
 *         ring-...                          two packet rings, unlinked once both sides have mapped them
 *         sockets                           what it listens on, removed with the rest
 *
 *   process A                                                  process B
 *      RingLink ══════════ a packet ring each way  ════════════ RingLink
 *      PeerMemory ─────── maps B's control and segments ──────▶
 *      socket ─────────── hello, doorbell bytes, end of file ── socket
 * </pre>
 *
 * <p>The socket proves who the peer is (kernel credentials), wakes a sleeper, and shows a peer's death as end of file.
 * Direct access is for peers of the same user: what one writes into the other's memory is checked by convention only.
 */
@NullMarked
package io.verbena.fabric.shm;

import org.jspecify.annotations.NullMarked;
