/**
 * {@code bench rates}: what sharing by utility costs, and whether it keeps what it says, on nodes with many tenants.
 *
 * <pre>
 *   RatesCommand ── TenantsNode, with and without rates ── messages of tenants in turn ──▶ Sink
 * </pre>
 */
@NullMarked
package io.verbena.bench.rates;

import org.jspecify.annotations.NullMarked;
