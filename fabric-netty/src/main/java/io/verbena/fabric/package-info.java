/**
 * The fabrics that reach other processes and hosts, implementations of the NIC's ports:
 * {@linkplain io.verbena.fabric.netty Netty} for sockets and {@linkplain io.verbena.fabric.shm shared memory} for peers
 * on this host. Here lies what both share: the hello that opens each connection, how rejections are counted and
 * logged, and how durations become nanoseconds.
 *
 * <pre>
 *   connect ──▶ hello both ways ──▶ Link, handed to the NIC's LinkListener
 *                    │
 *                    └ anything else ──▶ counted, logged, closed; nothing else is touched
 * </pre>
 */
@NullMarked
package io.verbena.fabric;

import org.jspecify.annotations.NullMarked;
