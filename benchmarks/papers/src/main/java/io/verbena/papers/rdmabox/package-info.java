/**
 * RDMAbox (IEEE CLOUD 2021): its measurements made again, on the simulated NIC and host, and on this machine with
 * remote regions.
 *
 * <pre>
 *   RdmaboxFigures ──▶ Figure1 ──▶ WriterThread ───────────┐
 *         │      ├───▶ Figure2 ──▶ ClusterThread ──────────┼──▶ BoxWorld      the simulated testbed
 *         │      ├───▶ Figure9 ──▶ FaultThread ────────────┤
 *         │      │                 HostPoller ─────────────┤                  who takes completions, by PollLoop
 *         │      ├───▶ Figure8 ──▶ MergedWriter ───────────┤
 *         │      ├───▶ Figure12 ─▶ FileRun ──▶ RemoteAccess┤                  by a Library: RDMAbox and others
 *         │      ├───▶ Figure10    PagedRun ─▶   │         │
 *         │      ├───▶ Figure11 ─▶   │           ├ MergingPair ─▶ PostedPath  the product's merge queue
 *         │      │          PagedApplication     └ MessagePair                two-sided
 *         │      │          ResidentSet, PageTrace
 *         │      └───▶ Figure5 ──▶ BufferCosts           what a copy and a registration take here
 *         │               └──────▶ RegionRates           what a remote region writes with either
 *         └──▶ BatchingFigure ──▶ PagingRun ──▶ PagingThread ──▶ PageChoice
 * </pre>
 */
@NullMarked
package io.verbena.papers.rdmabox;

import org.jspecify.annotations.NullMarked;
