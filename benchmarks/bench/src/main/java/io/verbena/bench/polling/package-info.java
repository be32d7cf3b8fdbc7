/**
 * {@code bench polling}: what each polling scheme costs and gives, between two processes with nodes.
 *
 * <pre>
 *   PollingCommand ── PollingRun ── EchoClient ── messages ──▶ EchoProcess
 *                         │                                       │
 *                         └── ProcessUsage of both: CPU, wake-ups ┘
 * </pre>
 */
@NullMarked
package io.verbena.bench.polling;

import org.jspecify.annotations.NullMarked;
