/**
 * Internal: the socket by which a node is administered. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   AdminSocket ──▶ AdminSession ──▶ Administered      the tenants of the node
 * </pre>
 */
@NullMarked
package io.verbena.admin;

import org.jspecify.annotations.NullMarked;
