package io.verbena.rate;

import java.util.Arrays;
import java.util.List;

/**
 * Hosts whose applications send to each other with operations that complete at both ends. Immutable.
 *
 * <pre>
 *   max  sum U_s(x_s) - sum beta z_t^-2              z_t = sum_s p_ts x_s
 *   s.t. sum_{s of host l} k_s x_s &lt;= q_l,  sum_{t of host i} z_t &lt;= c_i,  x_s &gt;= min_s
 * </pre>
 *
 * <p>s and t are numbers of applications, host by host. With B_ts the part of what s sends that goes to t, and a_t the
 * completions per request at t, {@code p_ts = a_t (B_ts + [s = t])}: DRUM (17), which uses the receiver's a, as opposed
 * to its matrix P below (18). Only pairs with p above 0 are kept, so that a sum goes over those who send something.
 */
public final class PeerProblem {
    private static final double ROUNDING = 1e-9;

    final HostProblem[] hosts;

    /** First application of each host, and of none after the last. */
    final int[] first;

    /** Host of each application. */
    final int[] hostOf;

    /** Links of what sends, from {@code fromSource[s]} on: the target and p. */
    final int[] fromSource;

    final int[] target;
    final double[] part;

    /** Links of what receives, from {@code fromTarget[t]} on: numbers of links, by source. */
    final int[] fromTarget;

    final int[] linkOf;

    /** Source of each link. */
    final int[] source;

    /** Sum of p over those who send to an application. */
    final double[] received;

    /** Completions that minimum rates cause at a host. */
    private final double[] reserved;

    private final double[] equalShare;

    private PeerProblem(Builder from) {
        hosts = from.hosts.toArray(HostProblem[]::new);
        first = from.first;
        hostOf = from.hostOf;
        int applications = hostOf.length;
        int links = from.flows + applications;
        fromSource = new int[applications + 1];
        fromTarget = new int[applications + 1];
        target = new int[links];
        part = new double[links];
        source = new int[links];
        linkOf = new int[links];
        received = new double[applications];
        reserved = new double[hosts.length];
        for (int s = 0; s < applications; s++) {
            fromSource[s + 1] = 1;
            fromTarget[s + 1] = 1;
        }
        for (int flow = 0; flow < from.flows; flow++) {
            fromSource[from.from[flow] + 1]++;
            fromTarget[from.to[flow] + 1]++;
        }
        for (int s = 0; s < applications; s++) {
            fromSource[s + 1] += fromSource[s];
            fromTarget[s + 1] += fromTarget[s];
        }
        int[] filled = Arrays.copyOf(fromSource, applications);
        for (int s = 0; s < applications; s++) {
            put(filled[s]++, s, s, 1);
        }
        for (int flow = 0; flow < from.flows; flow++) {
            put(filled[from.from[flow]]++, from.from[flow], from.to[flow], from.share[flow]);
        }
        int[] taken = Arrays.copyOf(fromTarget, applications);
        for (int link = 0; link < links; link++) {
            linkOf[taken[target[link]]++] = link;
            received[target[link]] += part[link];
        }
        equalShare = new double[hosts.length];
        for (int i = 0; i < hosts.length; i++) {
            double even = 0;
            for (int t = first[i]; t < first[i + 1]; t++) {
                even += received[t];
            }
            equalShare[i] = Math.min(hosts[i].requests / hosts[i].evenRequests, hosts[i].completions / even);
        }
        checkMinimums();
    }

    private void put(int link, int from, int to, double share) {
        source[link] = from;
        target[link] = to;
        part[link] = share * perRequest(to);
    }

    private void checkMinimums() {
        for (int i = 0; i < hosts.length; i++) {
            for (int t = first[i]; t < first[i + 1]; t++) {
                for (int at = fromTarget[t]; at < fromTarget[t + 1]; at++) {
                    int link = linkOf[at];
                    reserved[i] += part[link] * minimum(source[link]);
                }
            }
            if (reserved[i] > hosts[i].completions) {
                throw new IllegalArgumentException("host " + i + ": minimum rates of it and its peers need "
                        + reserved[i] * HostProblem.MEGA + " of " + hosts[i].completions * HostProblem.MEGA
                        + " completions a second");
            }
        }
    }

    private double perRequest(int application) {
        return hosts[hostOf[application]].perRequest[application - first[hostOf[application]]];
    }

    double minimum(int application) {
        return hosts[hostOf[application]].minimum[application - first[hostOf[application]]];
    }

    /** Rate of each application of a host if all had the same, peers' completions included; in millions a second. */
    double equalShare(int host) {
        return equalShare[host];
    }

    /** Whatever the peers send, summed up. */
    double completions(int t, double[] x) {
        double sum = 0;
        for (int at = fromTarget[t]; at < fromTarget[t + 1]; at++) {
            int link = linkOf[at];
            sum += part[link] * x[source[link]];
        }
        return sum;
    }

    /**
     * Shrinks what lies above the minimum until all capacities are kept: of a source, by what the shortest of its own
     * host and of the hosts that it sends to allows.
     *
     * @param x from the minimum on; becomes feasible
     * @param z gets the completions
     * @param shrink scratch, a number a host
     */
    void makeFeasible(double[] x, double[] z, double[] shrink) {
        double nudge = 0;
        while (shrinks(x, z, shrink, nudge)) {
            for (int s = 0; s < hostOf.length; s++) {
                double part = shrink[hostOf[s]];
                for (int link = fromSource[s]; link < fromSource[s + 1]; link++) {
                    part = Math.min(part, shrink[hostOf[target[link]]]);
                }
                double least = minimum(s);
                x[s] = least + part * (x[s] - least);
            }
            nudge = Math.max(2 * nudge, 0x1p-50);
        }
    }

    private boolean shrinks(double[] x, double[] z, double[] shrink, double nudge) {
        boolean isAny = false;
        for (int i = 0; i < hosts.length; i++) {
            HostProblem host = hosts[i];
            double used = 0;
            double polled = 0;
            double floor = 0;
            for (int s = first[i]; s < first[i + 1]; s++) {
                used += host.cost[s - first[i]] * x[s];
                floor += host.cost[s - first[i]] * minimum(s);
                z[s] = completions(s, x);
                polled += z[s];
            }
            shrink[i] = Math.min(
                    used > host.requests ? (host.requests - floor) / (used - floor) : 1,
                    polled > host.completions ? (host.completions - reserved[i]) / (polled - reserved[i]) : 1);
            if (used > host.requests || polled > host.completions) {
                shrink[i] = Math.max(0, shrink[i] - nudge);
                isAny = true;
            }
        }
        return isAny;
    }

    /**
     * Begins a problem.
     *
     * @param hosts without what they send to each other
     * @throws IllegalArgumentException if there is none, or one has preemption or no latency
     */
    public static Builder builder(List<HostProblem> hosts) {
        return new Builder(hosts);
    }

    /** Number of applications, of all hosts together. */
    public int applications() {
        return hostOf.length;
    }

    /** Number of hosts. */
    public int hosts() {
        return hosts.length;
    }

    /** What flows between applications, in parts of what they send. Not thread-safe. */
    public static final class Builder {
        private final List<HostProblem> hosts;
        private final int[] first;
        private final int[] hostOf;
        private final double[] sent;
        private int flows;
        private int[] from = new int[16];
        private int[] to = new int[16];
        private double[] share = new double[16];

        Builder(List<HostProblem> hosts) {
            this.hosts = List.copyOf(hosts);
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("a problem without a host");
            }
            first = new int[hosts.size() + 1];
            for (int i = 0; i < hosts.size(); i++) {
                HostProblem host = hosts.get(i);
                if (host.isPreemptible || host.beta == 0) {
                    throw new IllegalArgumentException("host " + i + " has preemption or beta 0: only for hosts alone");
                }
                first[i + 1] = first[i] + host.applications;
            }
            hostOf = new int[first[hosts.size()]];
            sent = new double[hostOf.length];
            for (int i = 0; i < hosts.size(); i++) {
                Arrays.fill(hostOf, first[i], first[i + 1], i);
            }
        }

        /**
         * Adds a flow.
         *
         * @param host that sends
         * @param application of it
         * @param peer that receives
         * @param receiver application of it
         * @param share of what the application sends; above 0, and at most 1 for all its flows together
         * @throws IllegalArgumentException if one is out of its range
         */
        public Builder flow(int host, int application, int peer, int receiver, double share) {
            int s = number(host, application);
            int t = number(peer, receiver);
            if (!(share > 0 && sent[s] + share <= 1 + ROUNDING)) {
                throw new IllegalArgumentException("host " + host + ", application " + application + ": share " + share
                        + " beside " + sent[s] + " is not above 0 and at most 1 together");
            }
            sent[s] += share;
            if (flows == from.length) {
                from = Arrays.copyOf(from, 2 * flows);
                to = Arrays.copyOf(to, 2 * flows);
                this.share = Arrays.copyOf(this.share, 2 * flows);
            }
            from[flows] = s;
            to[flows] = t;
            this.share[flows++] = share;
            return this;
        }

        private int number(int host, int application) {
            if (host < 0 || host >= hosts.size()) {
                throw new IllegalArgumentException("host " + host + " of " + hosts.size());
            }
            if (application < 0 || application >= hosts.get(host).applications) {
                throw new IllegalArgumentException(
                        "host " + host + ": application " + application + " of " + hosts.get(host).applications);
            }
            return first[host] + application;
        }

        /**
         * The problem.
         *
         * @throws IllegalArgumentException if the minimum rates of peers exceed the completions of a host
         */
        public PeerProblem build() {
            return new PeerProblem(this);
        }
    }
}
