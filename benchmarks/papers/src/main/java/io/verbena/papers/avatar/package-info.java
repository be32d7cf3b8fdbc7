/**
 * The evaluation of Avatar (many connections on few queue pairs): its figures on the NIC and the cores of
 * {@code io.verbena.nic.sim}, with the channels of {@code io.verbena.mux}, with the schedulers that the paper prints,
 * and with what it is compared with.
 *
 * <pre>
 *   MessageLoop (an application's thread)
 *      │ send, look
 *      ▼
 *   Connection ◄─┬─ OwnConnection ── a queue pair, native ────────────────────────┐
 *                ├─ LockedQueuePair ── one of many threads, behind a lock ────────┤
 *                ├─ MuxChannel ──── SharedPath ─ SharedQueuePair ─┐               ├─▶ NIC ─▶ link ─▶ ReceiveSide
 *                └─ PrintedChannel ─ PrintedSource (RR, WFQ) ─────┴▶ Worker ──────┘     SRQ, CQ, Poller, ingress
 *                                                                   HostFeed
 * </pre>
 *
 * <p>Throughput is counted where messages arrive, latency from the call that sends to the moment at which the
 * application sees that it is complete.
 */
@NullMarked
package io.verbena.papers.avatar;

import org.jspecify.annotations.NullMarked;
