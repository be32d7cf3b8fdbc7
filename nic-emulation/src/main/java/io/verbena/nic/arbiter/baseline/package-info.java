/**
 * The disciplines that {@link io.verbena.nic.arbiter.ChunkArbiter} is compared with, each chosen by a setting: what
 * commodity NICs do, what software does above them, and Palos as its paper prints it.
 *
 * <pre>
 *   Arbiter ◄── FlowTurns ◄─┬─ PacketRoundRobin ◄─┬─ SoftwareChunking
 *                           │                    └─ WholeMessages
 *                           ├─ DeficitRoundRobin
 *                           ├─ VirtualLanes
 *                           └─ PalosAsPrinted
 * </pre>
 *
 * <p>None of them limits rates: ceilings and floors of groups are ignored, and a queue pair's {@link
 * io.verbena.nic.arbiter.RateLimit} is refused with an exception that names the discipline.
 *
 * <p>A {@link io.verbena.nic.arbiter.baseline.Place} keeps their state of a flow.
 */
@NullMarked
package io.verbena.nic.arbiter.baseline;

import org.jspecify.annotations.NullMarked;
