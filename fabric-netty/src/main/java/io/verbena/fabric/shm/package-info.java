/**
 * Shared memory between processes of one host: mapped arenas, single-producer rings a direction and a Unix-domain
 * socket beside them as doorbell and as witness of a peer's death.
 */
@NullMarked
package io.verbena.fabric.shm;

import org.jspecify.annotations.NullMarked;
