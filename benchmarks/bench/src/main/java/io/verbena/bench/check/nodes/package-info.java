/**
 * {@code verbena simulate nodes}: the framework walked as {@code simulate} walks the verbs, by nodes of
 * this process, in a time that the walk makes.
 *
 * <pre>
 *   NodeWalk ── steps ──▶ NodeHost (a node, inboxes, responder, table)      NodeClients (channels)  ── NodeSender
 *                              │ messages        │ calls       │ operations
 *                              ▼                 ▼             ▼
 *                          NodeFlow          NodeCalls      NodeTables      what must be
 * </pre>
 */
@NullMarked
package io.verbena.bench.check.nodes;

import org.jspecify.annotations.NullMarked;
