/**
 * The operator's tools. {@code verbena top} is a live view of a node's tenants, over the node's administration socket:
 *
 * <pre>
 *   TopCommand ──▶ AdminClient ──▶ socket of a node, or of TopDemo
 *       └── TenantState, twice ──▶ TopView: shares over the time between
 * </pre>
 */
@NullMarked
package io.verbena.console;

import org.jspecify.annotations.NullMarked;
