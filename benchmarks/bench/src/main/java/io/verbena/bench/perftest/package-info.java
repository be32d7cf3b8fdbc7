/**
 * Bandwidth and latency of the verbs between two ends, after linux-rdma's perftest: the same tests, flags and tables.
 *
 * <pre>
 *   client                                          server (started first)
 *     Session ◀── ControlSocket, TCP, lines of text ──▶ Session     settings, addresses, queue pairs, keys, start, end
 *        │                                                 │
 *     Traffic ◀══ queue pairs over the fabric ════════▶ Traffic     PingPong, or Stream sender and receiver
 *        │                                                 │
 *     LatencyTable, BandwidthTable                      verifies what arrives against the Pattern
 * </pre>
 */
@NullMarked
package io.verbena.bench.perftest;

import org.jspecify.annotations.NullMarked;
