/**
 * RDMAbox (IEEE CLOUD 2021): its measurements made again, on the simulated NIC and host, and on this machine with
 * remote regions.
 *
 * <pre>
 *   RdmaboxFigures ──▶ Figure1 ──▶ WriterThread ───────────┐
 *         │      ├───▶ Figure2 ──▶ ClusterThread ──────────┼──▶ BoxWorld      the simulated testbed
 *         │      ├───▶ Figure9 ──▶ FaultThread ────────────┤
 *         │      │                 PollingThread ──────────┘                  who takes completions, by PollLoop
 *         │      └───▶ Figure5 ──▶ BufferCosts           what a copy and a registration take here
 *         │               └──────▶ RegionRates           what a remote region writes with either
 *         └──▶ BatchingFigure ──▶ PagingRun ──▶ PagingThread ──▶ PageChoice
 * </pre>
 */
@NullMarked
package io.verbena.papers.rdmabox;

import org.jspecify.annotations.NullMarked;
