/**
 * RDMAbox (IEEE CLOUD 2021): its measurements made again, on this machine and with remote regions.
 *
 * <pre>
 *   RdmaboxFigures ──▶ Figure5 ──▶ BufferCosts           what a copy and a registration take here
 *         │               └──────▶ RegionRates           what a remote region writes with either
 *         └──▶ BatchingFigure ──▶ PagingRun ──▶ PagingThread ──▶ PageChoice
 * </pre>
 */
@NullMarked
package io.verbena.papers.rdmabox;

import org.jspecify.annotations.NullMarked;
