package io.verbena.bench.tenants;

import io.verbena.nic.PerformanceGroup;
import java.util.List;

/** What a tenant may do to take from another's share, and must not succeed with. */
public enum Adversary {
    /** As many queue pairs as it is given, all of them busy. */
    QUEUE_PAIRS("10,000 queue pairs"),
    /** Requests of a byte each: the most packets and the most headers. */
    ONE_BYTE("messages of 1 byte"),
    /** Everything it sends is of the latency-sensitive class. */
    ALL_URGENT("everything urgent"),
    /** A peer that takes packets and never answers: all it sends is sent again and again. */
    SILENT_PEER("a peer that never acknowledges"),
    /** A peer that is not there: all its queue pairs wait for a link. */
    ABSENT_PEER("1,000 queue pairs to a peer that is not there"),
    /** SENDs to a receiver that posts no receives: each is refused, and sent again. */
    NOT_READY("200 queue pairs to a receiver that is never ready"),
    /** Appends to a queue that is full and stays so. */
    FULL_QUEUE("200 queue pairs that append to a full queue"),
    /** READs of a large region, whose answers are as much as can be sent. */
    READ_FLOOD("READs of 1 MiB on 16 queue pairs"),
    /** The largest weights that can be set, on every queue pair. */
    WEIGHTS("weights at the limits"),
    /** Requests that fail, and queue pairs that are brought back from ERR each time. */
    INVALID("invalid requests in a loop"),
    /** A thread that has nothing to do with any NIC, to compare those below with: each has a thread. */
    BUSY_THREAD("a thread that burns a core"),
    /** One of each of the NIC's objects, created and destroyed without a rest. */
    OBJECT_STORM("a storm of create and destroy"),
    /** Peers of the receiving NIC that connect and leave. */
    CONNECT_STORM("peers that connect and leave"),
    /** Peers that begin a large append to the victim's queue and stop, each a step later. */
    HALF_APPENDS("peers that stop in a large append"),
    /** A peer whose packets are well formed and belong to nothing. */
    SENSELESS("a peer that sends valid packets without sense");

    /** The adversary's place among {@link #tenants}. */
    static final int ITS_PLACE = 1;

    private static final double HALF = 0.5;
    private static final int MESSAGE = 4096;
    private static final int MAX_QUEUE_PAIRS = 10_000;
    private static final int ABSENT_QUEUE_PAIRS = 1000;
    private static final int REFUSED_QUEUE_PAIRS = 200;
    private static final int READ_QUEUE_PAIRS = 16;
    private static final int READ_BYTES = 1 << 20;
    private static final int URGENT_MESSAGE = 64;
    private static final int URGENT_QUEUE_PAIRS = 64;

    private final String title;

    Adversary(String title) {
        this.title = title;
    }

    /** In a sentence. */
    String title() {
        return title;
    }

    /** Who must keep its share: one queue pair, messages of 4 KiB. */
    MeasuredTenant victim() {
        MeasuredTenant victim =
                MeasuredTenant.of("victim", 1, MESSAGE, this == HALF_APPENDS ? TenantVerb.APPEND : TenantVerb.WRITE);
        return this == WEIGHTS ? victim.weighing(PerformanceGroup.MAX_WEIGHT, 1) : victim;
    }

    /** The victim, and whoever wants its share on the same NIC. */
    List<MeasuredTenant> tenants() {
        if (isAttack()) {
            return List.of(victim());
        }
        MeasuredTenant other = MeasuredTenant.of("adversary", 1, MESSAGE, TenantVerb.WRITE);
        switch (this) {
            case QUEUE_PAIRS:
                return List.of(victim(), other.on(MAX_QUEUE_PAIRS));
            case ONE_BYTE:
                return List.of(victim(), MeasuredTenant.of("adversary", 1, 1, TenantVerb.WRITE));
            case ALL_URGENT:
                return List.of(
                        victim(),
                        MeasuredTenant.of("adversary", 1, URGENT_MESSAGE, TenantVerb.WRITE)
                                .on(URGENT_QUEUE_PAIRS)
                                .inHaste());
            case SILENT_PEER:
                return List.of(
                        victim(),
                        MeasuredTenant.of("adversary", 1, MESSAGE, TenantVerb.SEND)
                                .behaving(Conduct.SILENT));
            case ABSENT_PEER:
                return List.of(victim(), other.on(ABSENT_QUEUE_PAIRS).behaving(Conduct.ABSENT));
            case NOT_READY:
                return List.of(
                        victim(),
                        MeasuredTenant.of("adversary", 1, MESSAGE, TenantVerb.SEND)
                                .on(REFUSED_QUEUE_PAIRS)
                                .behaving(Conduct.UNREADY));
            case FULL_QUEUE:
                return List.of(
                        victim(),
                        MeasuredTenant.of("adversary", 1, MESSAGE, TenantVerb.APPEND)
                                .on(REFUSED_QUEUE_PAIRS)
                                .behaving(Conduct.UNREADY));
            case READ_FLOOD:
                return List.of(
                        victim(),
                        MeasuredTenant.of("adversary", 1, READ_BYTES, TenantVerb.READ)
                                .on(READ_QUEUE_PAIRS));
            case WEIGHTS:
                int most = PerformanceGroup.MAX_WEIGHT;
                return List.of(
                        victim(),
                        other.on(4).weighing(most, most),
                        MeasuredTenant.of("bystander", 1, MESSAGE, TenantVerb.WRITE));
            default:
                return List.of(victim(), other.on(4).behaving(Conduct.INVALID));
        }
    }

    /** Whether it has a thread of its own, and is no tenant. */
    boolean isAttack() {
        return ordinal() >= BUSY_THREAD.ordinal();
    }

    /** Begins it, for the thread that calls. */
    Attack attack(NearSide near, FarNic far) {
        return switch (this) {
            case BUSY_THREAD -> new BusyThread();
            case OBJECT_STORM -> new ObjectStorm(near.nic());
            case CONNECT_STORM -> new ConnectStorm(far.target());
            case HALF_APPENDS -> new HalfAppends(far.target(), far.victim());
            case SENSELESS -> new SenselessPackets(far.target());
            default -> throw new IllegalStateException(this + " is a tenant");
        };
    }

    /** Whether nothing that it sends is ever taken, so that the victim is to have as much beside it as alone. */
    boolean isInVain() {
        return this == ABSENT_PEER || this == NOT_READY || this == FULL_QUEUE;
    }

    /**
     * What the victim is entitled to of what it would have alone: all of it beside those who are to get nothing; half
     * beside a peer whose packets the receiving NIC has to look at, as it has at the victim's; else by weight.
     */
    double entitlement() {
        if (isInVain() || isAttack()) {
            return this == SENSELESS ? HALF : 1;
        }
        List<MeasuredTenant> all = tenants();
        return all.get(0).weight()
                / (double) all.stream().mapToInt(MeasuredTenant::weight).sum();
    }
}
