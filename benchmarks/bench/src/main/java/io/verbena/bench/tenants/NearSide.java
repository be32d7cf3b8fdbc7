package io.verbena.bench.tenants;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The NIC on which all tenants send. For the thread that opened it, but within a process, where each sender may have
 * one.
 */
final class NearSide implements AutoCloseable {
    private static final int LINK_SECONDS = 10;
    private static final int REQUESTS_PER_TURN = 1024;

    /** Beside a ping: who posts is who pings, and a ping is not to wait until send queues are full. */
    private static final int REQUESTS_BESIDE_A_PING = 64;

    private static final long CONNECT_NANOS = 10_000_000_000L;

    private final FabricNode node;
    private final List<TenantSender> senders = new ArrayList<>();
    private @Nullable Pinger pinger;
    private volatile int posting = Integer.MAX_VALUE;

    private NearSide(FabricNode node) {
        this.node = node;
    }

    /** Opens it, and connects it to a {@link FarNic} that opens meanwhile. */
    static NearSide open(TenantsSetting setting, Rendezvous rendezvous) {
        FabricNode node = FabricNode.open(setting.fabric(), setting.near());
        try {
            NearSide made = new NearSide(node);
            made.join(setting, rendezvous);
            return made;
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private void join(TenantsSetting setting, Rendezvous rendezvous) {
        long far = link(rendezvous);
        long mute = setting.hasSilent() ? link(rendezvous) : 0;
        for (MeasuredTenant tenant : setting.tenants()) {
            TenantSender sender = new TenantSender(node.nic(), tenant);
            rendezvous.tell(sender.numbers());
            sender.connect(
                    peer(tenant, far, mute),
                    rendezvous.hear(this::drive),
                    tenant.conduct() == Conduct.ABSENT ? new ConnectAttributes().timeout(0) : new ConnectAttributes());
            senders.add(sender);
        }
        if (setting.ping() != Ping.NONE) {
            Pinger made = new Pinger(node.nic(), setting.ping(), setting.tenants());
            rendezvous.tell(made.address());
            made.connect(far, rendezvous.hear(this::drive));
            pinger = made;
        }
        rendezvous.meet(this::drive);
    }

    private static long peer(MeasuredTenant tenant, long far, long mute) {
        return switch (tenant.conduct()) {
            case SILENT -> mute;
            case ABSENT -> Conduct.NOWHERE;
            default -> far;
        };
    }

    /** A link to the NIC that the other side names next. */
    private long link(Rendezvous rendezvous) {
        long peer = Long.parseLong(rendezvous.hear(this::drive));
        node.connect(InetAddress.getLoopbackAddress(), rendezvous.hear(this::drive), CONNECT_NANOS);
        rendezvous.tell(String.valueOf(node.nic().id()));
        node.awaitLink(peer, WaitLimit.ofSeconds(LINK_SECONDS, "link"));
        return peer;
    }

    private void drive() {
        node.drive();
    }

    long nicId() {
        return node.nic().id();
    }

    List<TenantSender> senders() {
        return senders;
    }

    /** Lets the first tenants post from now on, and the others not. Any thread. */
    void letPost(int count) {
        posting = count;
    }

    /** What an attack from within finds. */
    Nic nic() {
        return node.nic();
    }

    /** Posts what all tenants have room for, and gives the engine a turn. */
    int turn() {
        int work = node.drive();
        int count = Math.min(posting, senders.size());
        int limit = pinger == null ? REQUESTS_PER_TURN : REQUESTS_BESIDE_A_PING;
        for (int i = 0; i < count; i++) {
            work += senders.get(i).turn(limit);
        }
        return work;
    }

    /** Where the ping is timed. */
    Pinger pinger() {
        Pinger own = pinger;
        if (own == null) {
            throw new IllegalStateException("no ping in this measurement");
        }
        return own;
    }

    @Override
    public void close() {
        node.close();
    }
}
