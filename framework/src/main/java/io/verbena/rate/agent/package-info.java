/**
 * What has a node keep rates by utility (DRUM): looks each epoch at what tenants have done, solves, and publishes.
 * Internal; it is set up by {@link io.verbena.NodeContext#rates}. It has no thread and no clock of its own, and
 * allocates nothing once it has seen all tenants.
 *
 * <pre>
 *   a turn of the node ──▶ RateAgent ──▶ RateSlot, one a tenant ──▶ RateMember: GroupMember
 *                            │  └─ CapacityMeter                      │ rate of requests: the arbiter's timing wheel
 *                            ▼                                        └ DeliveryGate: where inboxes are polled
 *                       HostProblem with demands ─▶ ExactHost
 *                            ▲ bounds
 * connections ──▶ PeerTraffic ─▶ PeerRates ◀──▶ PriceExchange        where nodes agree on what they send to each other
 * datagrams   ──▶ RateFlyweight ───▲ └────▶ RateNetwork
 * </pre>
 */
@NullMarked
package io.verbena.rate.agent;

import org.jspecify.annotations.NullMarked;
