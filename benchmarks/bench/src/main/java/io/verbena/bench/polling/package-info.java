/**
 * {@code bench polling}: what each polling scheme costs and gives, between two processes with nodes, or between two
 * threads of a simulated machine.
 *
 * <pre>
 *   PollingCommand ──▶ PollingRun ──▶ EchoClient ── messages ──▶ EchoProcess
 *         │  │               │                                       │
 *         │  │               └── ProcessUsage of both: CPU, wake-ups ┘
 *         │  └───────▶ SimulatedPolling ──▶ SimulatedEcho ──▶ HostPoller on SimCores
 *         └──▶ PollingVerdict: each scheme by the best of each row
 * </pre>
 */
@NullMarked
package io.verbena.bench.polling;

import org.jspecify.annotations.NullMarked;
