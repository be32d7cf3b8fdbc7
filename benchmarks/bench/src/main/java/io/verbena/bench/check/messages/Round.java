package io.verbena.bench.check.messages;

import io.verbena.Node;
import io.verbena.NodeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Clients with nodes of one mode, which send to one hub for a while and then wait for what they have sent. */
final class Round {
    private static final long LOOK_NANOS = 2_000_000;

    private final MessagesSettings settings;
    private final FabricName fabric;
    private final NodeMode mode;
    private final Host host;
    private final Content content;
    private final Findings findings;
    private final Tally tally;
    private final AtomicInteger streams;
    private final SplittableRandom random;
    private final int number;
    private volatile long end = System.nanoTime() + Long.MAX_VALUE; // while not all clients are connected

    Round(
            MessagesSettings settings,
            FabricName fabric,
            NodeMode mode,
            Host host,
            Content content,
            Findings findings,
            Tally tally,
            AtomicInteger streams,
            int number) {
        this.settings = settings;
        this.fabric = fabric;
        this.mode = mode;
        this.host = host;
        this.content = content;
        this.findings = findings;
        this.tally = tally;
        this.streams = streams;
        this.number = number;
        this.random = new SplittableRandom(Content.mix(settings.seed() * 7919 + number));
    }

    /**
     * Plays it.
     *
     * @param nanos how long anything new is begun when all clients are connected
     * @param kill what is done in the midst of it
     */
    void play(long nanos, Runnable kill) {
        boolean begun = false;
        boolean killed = false;
        long killAt = 0;
        long soundAt = System.nanoTime();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            Client client = client(i);
            client.start();
            clients.add(client);
        }
        while (clients.stream().anyMatch(Client::isAlive)) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = System.nanoTime();
            if (!begun && clients.stream().allMatch(Client::isOpen)) {
                begun = true;
                end = now + nanos;
                killAt = now + nanos / 2 + random.nextLong(Math.max(1, nanos / 2));
            }
            if (begun && !killed && now - killAt > 0) {
                killed = true;
                kill.run();
            }
            clients.forEach(Client::watch);
            if (findings.isClean()) {
                soundAt = now;
            } else if (now - soundAt > settings.stallNanos()) {
                return; // who stands still is left behind
            }
        }
    }

    private Client client(int index) {
        Node node = Site.launch("client-" + number + "-" + index, fabric, settings.shared(), mode, random);
        Site site = new Site(
                node,
                mode,
                index,
                host,
                content,
                findings,
                tally,
                streams,
                new Arrivals(node.name(), content, findings),
                new Entrance(node.name(), findings),
                settings);
        return new Client(site, Loads.of(site, random), () -> System.nanoTime() - end < 0);
    }
}
