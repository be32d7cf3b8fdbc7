/**
 * The simulated fabric: virtual time, one thread, seeded. It models rate, delay, loss, duplication, reordering and
 * corruption of links, PCIe and the NIC's caches; a run is a function of its seed and replays to the byte.
 */
@NullMarked
package io.verbena.nic.sim;

import org.jspecify.annotations.NullMarked;
