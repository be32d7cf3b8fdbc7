/**
 * Who sends next, and how much: two levels (group, queue pair) with byte deficits behind one small port. Pure state,
 * driven by the engine.
 */
@NullMarked
package io.verbena.nic.arbiter;

import org.jspecify.annotations.NullMarked;
