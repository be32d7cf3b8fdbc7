/**
 * The wire: packet layout after the InfiniBand transport, one {@code *Flyweight} a header, and the table that says for
 * each opcode which headers follow and which queue pair types allow it. Little-endian, 8-byte aligned; no threads, no
 * locks, no objects per message.
 *
 * <pre>
 *   +-----+-------------------------------------------+---------+
 *   | BTH | extension headers, as Opcode's table says | payload |
 *   +-----+-------------------------------------------+---------+
 *   0     16                                          headerLength()
 * </pre>
 *
 * <p>Flyweights are static methods over a buffer and the offset of <em>their</em> header. A packet is examined with
 * {@link io.verbena.nic.wire.Opcode#check} before any header but the BTH is read.
 */
@NullMarked
package io.verbena.nic.wire;

import org.jspecify.annotations.NullMarked;
