/**
 * The verbs that an application calls: devices, protection domains, queue pairs, completion queues, memory regions
 * and append queues of a NIC written in software.
 *
 * <pre>
 *   nic ──► engine ──► arbiter ──► transport ──► port ──► a fabric
 *    │                    │            │           ▲
 *    └──► queue, memory ◄─┴── append ◄─┘          sim
 * </pre>
 *
 * <p>Nothing here or below imports Netty or any other module of Verbena.
 */
@NullMarked
package io.verbena.nic;

import org.jspecify.annotations.NullMarked;
