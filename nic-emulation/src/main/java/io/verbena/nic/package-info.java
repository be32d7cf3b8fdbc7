/**
 * The verbs that an application calls: devices, protection domains, queue pairs, completion queues, memory regions
 * and append queues of a NIC written in software.
 *
 * <pre>
 *   sim ──► nic ──► engine ──► transport ──► arbiter
 *            │         │           │
 *            └─────────┴───────────┼──► append ──► memory ──► port ◄── a fabric
 *                                  ├──► queue
 *                                  └──► verbs ──► wire
 * </pre>
 *
 * <p>The values that callers and all parts share, such as states and statuses, are in {@link io.verbena.nic.verbs}. The
 * arrows run one way: what builds whole NICs for a simulation imports this package and is not imported by it.
 *
 * <p>Nothing here or below imports Netty or any other module of Verbena.
 */
@NullMarked
package io.verbena.nic;

import org.jspecify.annotations.NullMarked;
