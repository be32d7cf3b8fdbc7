/**
 * Memory that peers may reach: arenas, regions and the keys that open them. A key is an index and a random tag, a
 * remote address an offset into a region, and every access is checked against the region before it copies.
 */
@NullMarked
package io.verbena.nic.memory;

import org.jspecify.annotations.NullMarked;
