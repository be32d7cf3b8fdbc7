/**
 * Memory that peers may reach: the control block, regions and the keys that open them. A key is an index and a random
 * tag, a remote address an offset into a region, and every access is checked against the region before it copies.
 *
 * <pre>
 *   owner                                    peer on the direct path
 *   MemoryTable ──▶ key entries ───────────▶ RemoteKeys
 *   ControlBlock ─▶ queue pair words ──────▶ ControlBlock.map(...)
 *                   in-flight slots ◀─────── beginAccess, endAccess
 *                   park words ────────────▶ isParked
 * </pre>
 */
@NullMarked
package io.verbena.nic.memory;

import org.jspecify.annotations.NullMarked;
