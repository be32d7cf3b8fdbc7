package io.verbena.papers.etc;

import io.verbena.nic.verbs.EngineMode;
import io.verbena.papers.receive.ReceiveScheme;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** The receiver, which starts the processes of the senders. */
final class ConsumerProcess {
    private static final int END_SECONDS = 10;
    private static final long SETTLE_NANOS = 1_000_000_000L;

    private ConsumerProcess() {}

    /** Runs to the end. */
    static SchemeReport run(EtcSetting setting) {
        List<SenderGroup> groups = new ArrayList<>();
        try {
            SchemeReport report = receive(setting, groups);
            for (SenderGroup group : groups) {
                group.await(END_SECONDS);
            }
            return report;
        } finally {
            groups.forEach(SenderGroup::close);
        }
    }

    private static MessageCheck check(EtcSetting setting, EtcScheme.Made made) {
        int expected = (int) (setting.rate() * setting.seconds() / EtcSetting.SENDERS * 1.1);
        return new MessageCheck(
                setting.mostProcesses() * EtcSetting.SENDERS_EACH, made.lanes(), made.laneOf(), expected);
    }

    private static SchemeReport receive(EtcSetting setting, List<SenderGroup> groups) {
        EtcScheme.Made made = setting.scheme().make(setting);
        try (Acknowledged acknowledged = Acknowledged.create(setting.mostProcesses() * EtcSetting.SENDERS_EACH);
                FabricNode node = FabricNode.open(FabricKind.SHM, EngineMode.ASSISTED);
                ReceiveScheme receiver = made.scheme().receiver(node.nic())) {
            String address = node.listen(InetAddress.getLoopbackAddress());
            IntFunction<SenderGroup> starts =
                    first -> new SenderGroup(setting, first, receiver, node, address, acknowledged);
            for (int i = 0; i < EtcSetting.PROCESSES; i++) {
                groups.add(starts.apply(i * EtcSetting.SENDERS_EACH));
            }
            for (SenderGroup group : groups) { // in order: numbers are given by invitation
                while (!group.connect()) {
                    node.drive();
                    Thread.yield();
                }
            }
            StallPlan plan = setting.stalls(System.nanoTime() + SETTLE_NANOS);
            try (ResidentCurve curve = new ResidentCurve(plan.start());
                    Killer killer = new Killer(setting, plan, receiver, groups, starts)) {
                ConsumerLoop loop = new ConsumerLoop(
                        check(setting, made), receiver, node, groups, killer, acknowledged, plan, curve);
                for (SenderGroup group : groups) {
                    group.start(plan.start(), plan.start() + plan.length());
                }
                loop.run();
                SchemeReport report = loop.report(setting);
                groups.forEach(SenderGroup::bye);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
                for (SenderGroup group : groups) {
                    while (!group.isOver() && System.nanoTime() - end < 0) {
                        node.drive(); // they close their queue pairs
                        Thread.yield();
                    }
                }
                return report;
            }
        }
    }
}
