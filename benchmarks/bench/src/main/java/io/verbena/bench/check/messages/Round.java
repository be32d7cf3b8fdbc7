package io.verbena.bench.check.messages;

import io.verbena.Node;
import io.verbena.NodeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Clients with nodes of one mode, which send to one hub for a while and then wait for what they have sent. */
final class Round {
    private static final long LOOK_NANOS = 2_000_000;

    private final RunContext run;
    private final FabricName fabric;
    private final NodeMode mode;
    private final HubHost host;
    private final MessageTally tally;
    private final SplittableRandom random;
    private final int number;
    private volatile long end = System.nanoTime() + Long.MAX_VALUE; // while not all clients are connected

    Round(RunContext run, FabricName fabric, NodeMode mode, HubHost host, MessageTally tally, int number) {
        this.run = run;
        this.fabric = fabric;
        this.mode = mode;
        this.host = host;
        this.tally = tally;
        this.number = number;
        this.random = new SplittableRandom(MessageContent.mix(run.settings().seed() * 7919 + number));
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
        for (int i = 0; i < run.settings().threads(); i++) {
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
            if (run.findings().isClean()) {
                soundAt = now;
            } else if (now - soundAt > run.settings().stallNanos()) {
                return; // who stands still is left behind
            }
        }
    }

    private Client client(int index) {
        Node node = Site.launch(
                "client-" + number + "-" + index, fabric, run.settings().shared(), mode, random);
        NodeArrivals arrivals = new NodeArrivals(node.name(), run.content(), run.findings());
        Entrance entrance = new Entrance(node.name(), run.findings());
        Site site = new Site(run, node, mode, index, host, tally, arrivals, entrance);
        return new Client(site, Loads.of(site, random), () -> System.nanoTime() - end < 0);
    }
}
