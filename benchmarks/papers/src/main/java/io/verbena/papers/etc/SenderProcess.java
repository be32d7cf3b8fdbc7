package io.verbena.papers.etc;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.papers.receive.Scheme;
import io.verbena.papers.receive.SchemeAddress;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.concurrent.locks.LockSupport;

/**
 * Some senders on one NIC and one thread, each on schedule: it offers what is due, and sleeps while nothing is. What it
 * could not send within the time it counts and leaves.
 */
final class SenderProcess {
    /** What it is told before it is killed. */
    static final String HURRY = "hurry";

    private static final int LINK_SECONDS = 15;
    private static final int DRAIN_SECONDS = 20;
    private static final long SLEEP_FROM_NANOS = 50_000;
    private static final long MAX_SLEEP_NANOS = 1_000_000;

    private SenderProcess() {}

    /**
     * Runs to the end.
     *
     * @param rendezvous with the consumer
     * @param first number of the first sender here
     */
    static void run(EtcSetting setting, Rendezvous rendezvous, int first) {
        Scheme scheme = setting.scheme().make(setting).scheme();
        try (FabricNode node = FabricNode.open(FabricKind.SHM, EngineMode.INVOKER)) {
            WaitLimit linked = WaitLimit.ofSeconds(LINK_SECONDS, "link");
            long consumer = Long.parseLong(rendezvous.hear(node::drive));
            node.connect(
                    InetAddress.getLoopbackAddress(), rendezvous.hear(node::drive), EtcSetting.nanos(LINK_SECONDS));
            String counts = rendezvous.hear(node::drive);
            rendezvous.tell(String.valueOf(node.nic().id()));
            node.awaitLink(consumer, linked);
            PacedSender[] senders = new PacedSender[EtcSetting.SENDERS_EACH];
            try (Acknowledged acknowledged = Acknowledged.open(Path.of(counts))) {
                for (int i = 0; i < senders.length; i++) {
                    senders[i] = new PacedSender(setting, scheme.sender(node.nic()), first + i, acknowledged);
                    SchemeAddress invitation = SchemeAddress.parse(rendezvous.hear(node::drive));
                    rendezvous.tell(senders[i].connect(invitation).toText());
                }
                send(rendezvous, node, senders);
            } finally {
                for (PacedSender sender : senders) {
                    if (sender != null) {
                        sender.close();
                    }
                }
            }
        }
    }

    private static void send(Rendezvous rendezvous, FabricNode node, PacedSender[] senders) {
        String[] times = rendezvous.hear(node::drive).split(" ");
        long start = Long.parseLong(times[0]);
        long end = Long.parseLong(times[1]);
        for (PacedSender sender : senders) {
            sender.start(start, end);
        }
        long now = System.nanoTime();
        while (now - end < 0) {
            if (rendezvous.isOver()) {
                throw new RunException("the consumer is gone");
            }
            if (HURRY.equals(rendezvous.heard())) {
                for (PacedSender sender : senders) {
                    sender.hurry();
                }
            }
            boolean busy = false;
            long next = end;
            for (PacedSender sender : senders) {
                busy |= sender.turn(now);
                next = Math.min(next, sender.due());
            }
            node.drive();
            if (!busy) {
                rest(next - System.nanoTime());
            }
            now = System.nanoTime();
        }
        WaitLimit drained = WaitLimit.ofSeconds(DRAIN_SECONDS, "acknowledgement of what was sent");
        for (PacedSender sender : senders) {
            while (!sender.isDrained()) {
                node.drive();
                drained.run();
            }
        }
        long unsent = 0;
        for (PacedSender sender : senders) {
            unsent += sender.unsent();
        }
        StringJoiner line = new StringJoiner(" ");
        for (PacedSender sender : senders) {
            line.add(String.valueOf(sender.sent()));
        }
        line.add(String.valueOf(unsent)).add(String.valueOf(senders[0].notReady()));
        rendezvous.tell(line.toString());
        rendezvous.hear(node::drive);
    }

    /** There are fewer processors than processes: whoever has nothing to do lets the others run. */
    private static void rest(long nanos) {
        if (nanos > SLEEP_FROM_NANOS) {
            LockSupport.parkNanos(Math.min(nanos, MAX_SLEEP_NANOS));
        } else {
            Thread.yield();
        }
    }
}
