package io.verbena.bench.tenants;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.ConnectAttributes;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The NIC that takes what tenants send, and a second one for those whose peer is silent: it is driven until all are
 * connected, and then no more. For the thread that opened it, but on the fabric within a process, where sinks may be
 * polled by others.
 */
final class FarNic implements AutoCloseable {
    private static final int LINK_SECONDS = 10;

    private final FabricNode node;
    private final @Nullable FabricNode mute;
    private final AttackedNic target;
    private final List<TenantSink> sinks = new ArrayList<>();
    private @Nullable Pinger pinger;

    private FarNic(FabricNode node, @Nullable FabricNode mute, AttackedNic target) {
        this.node = node;
        this.target = target;
        this.mute = mute;
    }

    /** Opens it, and connects it to a {@link NearSide} that opens meanwhile. */
    static FarNic open(TenantsSetting setting, Rendezvous rendezvous) {
        FabricNode node = FabricNode.open(setting.fabric(), setting.far());
        FabricNode mute = null;
        try {
            mute = setting.hasSilent() ? FabricNode.open(setting.fabric(), setting.far()) : null;
            String address = node.listen(InetAddress.getLoopbackAddress());
            FarNic made = new FarNic(
                    node, mute, new AttackedNic(setting.fabric(), node.nic().id(), address));
            made.join(setting, rendezvous);
            return made;
        } catch (RuntimeException e) {
            if (mute != null) {
                mute.close();
            }
            node.close();
            throw e;
        }
    }

    private void join(TenantsSetting setting, Rendezvous rendezvous) {
        rendezvous.tell(String.valueOf(target.nicId()));
        rendezvous.tell(target.address());
        long peer = Long.parseLong(rendezvous.hear(this::drive));
        node.awaitLink(peer, WaitLimit.ofSeconds(LINK_SECONDS, "link"));
        FabricNode silent = mute;
        if (silent != null) {
            rendezvous.tell(String.valueOf(silent.nic().id()));
            rendezvous.tell(silent.listen(InetAddress.getLoopbackAddress()));
            rendezvous.hear(this::drive);
            silent.awaitLink(peer, WaitLimit.ofSeconds(LINK_SECONDS, "link"));
        }
        for (MeasuredTenant tenant : setting.tenants()) {
            FabricNode to = silent != null && tenant.conduct() == Conduct.SILENT ? silent : node;
            TenantSink sink = new TenantSink(to.nic(), tenant);
            sink.connect(peer, rendezvous.hear(this::drive), new ConnectAttributes());
            rendezvous.tell(sink.address());
            sinks.add(sink);
        }
        if (setting.ping() != Ping.NONE) {
            Pinger made = new Pinger(node.nic(), setting.ping(), setting.tenants());
            made.connect(peer, rendezvous.hear(this::drive));
            rendezvous.tell(made.address());
            pinger = made;
        }
        rendezvous.meet(this::drive);
    }

    private void drive() {
        node.drive();
        if (mute != null) {
            mute.drive();
        }
    }

    /** Whom peers attack. */
    AttackedNic target() {
        return target;
    }

    /** The victim's append queue: the ping's, or the first tenant's. */
    OpenQueue victim() {
        Pinger own = pinger;
        return own == null ? sinks.get(0).open() : own.open();
    }

    /** What a tenant's messages go to. */
    TenantSink sink(int tenant) {
        return sinks.get(tenant);
    }

    /** Messages that each tenant's sink has taken so far. Any thread. */
    long[] taken() {
        return sinks.stream().mapToLong(TenantSink::taken).toArray();
    }

    /** Takes what has come from all tenants but the silent, answers pings, and gives the engine a turn. */
    int turn() {
        int work = node.drive();
        for (TenantSink sink : sinks) {
            work += sink.turn();
        }
        return work + answer();
    }

    /** Answers a ping that has come. */
    int answer() {
        Pinger own = pinger;
        return own != null && own.answer() ? 1 : 0;
    }

    @Override
    public void close() {
        if (mute != null) {
            mute.close();
        }
        node.close();
    }
}
