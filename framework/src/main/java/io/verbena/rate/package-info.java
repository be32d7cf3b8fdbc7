/**
 * Rates of requests and completions by utility: what DRUM (distributed RDMA network utility maximisation) computes, put
 * right where it is wrong in print. Pure code: no thread, no clock, no chance of its own, and nothing allocated once
 * warm; a solver belongs to one thread. Internal: {@code io.verbena.rate.agent} has a node keep what is computed here.
 *
 * <pre>
 *   Utility, HostProblem ─▶ ExactHost ────────▶ Allocation     one host, to the last digits: the default
 *                      │      ▲                     ▲   rates, prices, and a certificate that needs no trust:
 *                      │      └── ActiveSet         │   optimality conditions, and a bound on all allocations
 *                      ├────▶ HostSolver ───────────┤          one host, in rounds with a coordinator (ADMM)
 *                      └ PeerProblem ─▶ PeerCoupling┘          hosts that send to each other, in rounds
 *
 *   PriceExchange    the same between nodes that only tell each other: messages are lost, late or wrong, peers die
 *    ├ ExchangeSources   what a node sends: request step, reports, bounds by what peers grant
 *    ├ ExchangeTargets   what it takes: completion step, prices, grants that are never more than there is
 *    └ ExchangePeer ─ PeerOutflow, PeerInflow     RateMessage, ExchangeTimes, ExchangeCounts
 *
 *   ScalarRoot      the rate of one application at given prices      Certificate, PeerCertificate   the bound
 *   MultiplierSearch the price at which a capacity is kept           Delivery, HostLoop   who hears whom, who works
 *   DualDecomposition, AdmmSettings.AS_PRINTED                       the paper's baselines
 * </pre>
 *
 * <p>To share a host's 20 million requests and 15 million completions a second:
 *
 * <pre>{@code
 * HostProblem problem = HostProblem.builder(20e6, 15e6, 0.01)
 *         .application(new Utility(1, 3), 1.0 / 16).minimum(10_000)      // batches of 16, weight 3
 *         .application(new Utility(1, 1), 1).preemptible(0.2)            // one at a time, may be preempted
 *         .build();
 * Allocation answer = new Allocation();
 * new ExactHost().solve(problem, answer);
 * answer.requests(0);          // a second
 * answer.gap();                // how far the best allocation can be above this one
 * }</pre>
 *
 * <p>Rates are operations a second for callers, and millions of them inside. Of rates that are published, all keep all
 * capacities and minimums, to the last bit.
 */
@NullMarked
package io.verbena.rate;

import org.jspecify.annotations.NullMarked;
