package io.verbena.bench.etc;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.bench.fabric.FabricNode;
import io.verbena.bench.path.Deadline;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.receive.ReceiveScheme;
import io.verbena.bench.receive.SchemeAddress;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.nic.EngineMode;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The receiver, which starts the processes of the senders. */
final class ConsumerProcess {
    private static final int LINK_SECONDS = 20;
    private static final int END_SECONDS = 10;
    private static final long SETTLE_NANOS = 1_000_000_000L;
    private static final String BYE = "bye";

    private ConsumerProcess() {}

    /** Runs to the end. */
    static SchemeReport run(EtcSetting setting) {
        List<JavaProcess> processes = new ArrayList<>();
        try {
            Rendezvous[] rendezvous = new Rendezvous[EtcSetting.PROCESSES];
            for (int i = 0; i < rendezvous.length; i++) {
                JavaProcess process = new JavaProcess(List.of(
                        EtcProcess.NAME,
                        EtcProcess.SENDERS,
                        setting.json(),
                        String.valueOf(i * EtcSetting.SENDERS_EACH)));
                processes.add(process);
                rendezvous[i] = Rendezvous.over(
                        process.process().inputReader(StandardCharsets.UTF_8),
                        new PrintStream(process.process().getOutputStream(), true, StandardCharsets.UTF_8));
            }
            SchemeReport report = receive(setting, rendezvous);
            for (JavaProcess process : processes) {
                process.await(END_SECONDS);
            }
            return report;
        } finally {
            processes.forEach(JavaProcess::close);
        }
    }

    private static SchemeReport receive(EtcSetting setting, Rendezvous[] processes) {
        EtcScheme.Made made = setting.scheme().make(setting);
        try (FabricNode node = FabricNode.open(FabricKind.SHM, EngineMode.ASSISTED);
                ReceiveScheme receiver = made.scheme().receiver(node.nic())) {
            String address = node.listen(InetAddress.getLoopbackAddress());
            for (Rendezvous process : processes) {
                process.tell(String.valueOf(node.nic().id()));
                process.tell(address);
                long sender = Long.parseLong(process.hear(node::drive));
                node.awaitLink(sender, Deadline.ofSeconds(LINK_SECONDS, "link"));
                for (int i = 0; i < EtcSetting.SENDERS_EACH; i++) {
                    process.tell(receiver.invite().toText());
                    receiver.accept(SchemeAddress.parse(process.hear(node::drive)));
                }
            }
            StallPlan plan = setting.stalls(System.nanoTime() + SETTLE_NANOS);
            try (ResidentCurve curve = new ResidentCurve(plan.start())) {
                ConsumerLoop loop = new ConsumerLoop(setting, made, receiver, node, processes, plan, curve);
                for (Rendezvous process : processes) {
                    process.tell(String.valueOf(plan.start()));
                }
                loop.run();
                SchemeReport report = loop.report(setting);
                for (Rendezvous process : processes) {
                    process.tell(BYE);
                }
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
                for (Rendezvous process : processes) {
                    while (!process.isOver() && System.nanoTime() - end < 0) {
                        node.drive(); // they close their queue pairs
                        Thread.yield();
                    }
                }
                return report;
            }
        }
    }
}
