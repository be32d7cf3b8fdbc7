/**
 * Verbena beside what a user would pick instead, and under load. Nothing here knows a paper.
 *
 * <pre>
 *   command ──▶ report ──▶ compare ──▶ trial ──▶ path ──▶ pairs of NICs, peers
 *      │  │                              ▲         ▲
 *      │  └──▶ tenants, promise, scale ──┴─────────┘          perftest   suite (JMH)
 *      │                   channels
 *      └──▶ check.redis, check.messages                       check.nodes (simulate nodes)
 * </pre>
 */
@NullMarked
package io.verbena.bench;

import org.jspecify.annotations.NullMarked;
