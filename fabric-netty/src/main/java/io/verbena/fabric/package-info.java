/**
 * The fabrics that reach other processes and hosts, implementations of the NIC's ports:
 * {@linkplain io.verbena.fabric.netty Netty} for sockets and {@linkplain io.verbena.fabric.shm shared memory} for peers
 * on this host.
 */
@NullMarked
package io.verbena.fabric;

import org.jspecify.annotations.NullMarked;
