/**
 * The vocabulary of the verbs: what a queue pair is and may do, how a work request ended, what happened beside the
 * queues, what a NIC counts and who runs it. Values and tables alone, so that every part of the NIC and every caller
 * shares them and none of them depends on another for it.
 *
 * <pre>
 *   application ──► nic ──► engine ──► transport, queue
 *        │           │        │            │
 *        └───────────┴────────┴────────────┴──► verbs ──► wire (the opcodes that each QpType takes)
 * </pre>
 */
@NullMarked
package io.verbena.nic.verbs;

import org.jspecify.annotations.NullMarked;
