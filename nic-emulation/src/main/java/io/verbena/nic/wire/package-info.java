/**
 * The wire: packet layout after the InfiniBand transport, one {@code *Flyweight} a header, and the table that says for
 * each opcode which headers follow and which queue pair types allow it. Little-endian, 8-byte aligned; no threads, no
 * locks, no objects per message.
 */
@NullMarked
package io.verbena.nic.wire;

import org.jspecify.annotations.NullMarked;
