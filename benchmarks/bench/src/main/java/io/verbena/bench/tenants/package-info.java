/**
 * Shares and latency of tenants that send beside each other, for real and in simulation: {@code verbena bench tenants},
 * {@code urgent}, {@code adversary} and {@code arbiter}.
 *
 * <pre>
 *   command ── TenantsSetting ──▶ TenantsProcess (a JVM a measurement) ── one line of JSON ──▶ command's table
 *                                   TenantsRun: FabricNode, TenantSender ──▶ TenantSink, Pinger; Attack beside them
 * </pre>
 */
@NullMarked
package io.verbena.bench.tenants;

import org.jspecify.annotations.NullMarked;
