/**
 * The evaluation of Palos (flow scheduling), made again on the simulated fabric: what flows and groups get beside each
 * other under each discipline of the arbiter.
 *
 * <pre>
 *   PalosWorld: client NIC ═ link of 100 Gb/s ═▶ server NIC      one flow a queue pair, WRITEs
 *      FlowLoad  keeps each flow backlogged           │
 *      WireMeter counts at the wire, a flow each ◀────┘           SharesRun: rates
 *      LatencyProbe looks at the server's memory ◀────            LatencyRun: delays
 * </pre>
 *
 * <p>And on this machine, where they are asked for: the cost of the arbiter alone, and the same experiments for real.
 *
 * <pre>
 *   RealFigure ── RealShares, RealLatency ── RealRuns: TenantsSetting ──▶ TenantsProcess (a JVM a run) ──▶ claims
 * </pre>
 */
@NullMarked
package io.verbena.papers.palos;

import org.jspecify.annotations.NullMarked;
