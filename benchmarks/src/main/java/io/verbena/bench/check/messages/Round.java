package io.verbena.bench.check.messages;

import io.verbena.ChannelOptions;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.TenantOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Clients with nodes of one mode, which send to one hub for a while and then wait for what they have sent. */
final class Round {
    private static final long LOOK_NANOS = 2_000_000;
    private static final int LARGE = 16 << 20;

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
    private volatile long end;

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
     * @param nanos how long anything new is begun
     * @param kill what is done in the midst of it
     */
    void play(long nanos, Runnable kill) {
        end = System.nanoTime() + nanos;
        long killAt = System.nanoTime() + nanos / 2 + random.nextLong(Math.max(1, nanos / 2));
        boolean killed = false;
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            Client client = client(i);
            client.start();
            clients.add(client);
        }
        while (clients.stream().anyMatch(Client::isAlive)) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (!killed && System.nanoTime() - killAt > 0) {
                killed = true;
                kill.run();
            }
            clients.forEach(Client::watch);
            if (!findings.isClean() && System.nanoTime() - end > settings.stallNanos()) {
                return; // who stands still is left behind
            }
        }
    }

    private Client client(int index) {
        Node node = Node.launch(fabric.context()
                .name("client-" + number + "-" + index)
                .mode(mode)
                .sendDepth(16 << random.nextInt(7))
                .stagingLength(64 << 10 << random.nextInt(5))
                .peerTimeout(Duration.ofSeconds(3))
                .linger(Duration.ofSeconds(10))
                .tenant(new TenantOptions().name("gold").weight(3))
                .tenant(new TenantOptions().name("tin").weight(1)));
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
        return new Client(site, loads(site), () -> System.nanoTime() - end < 0);
    }

    private List<Load> loads(Site site) {
        List<Load> loads = new ArrayList<>();
        if (has(LoadName.CHANNELS)) {
            loads.addAll(channels(site));
        }
        if (has(LoadName.ECHOES)) {
            loads.add(new EchoLoad(site, false, () -> {}));
            loads.add(new EchoLoad(site, true, () -> {}));
        }
        if (has(LoadName.PROXY)) {
            loads.add(new ProxyLoad(site));
        }
        if (has(LoadName.CALLS)) {
            loads.add(new CallLoad(site, Answers.NOW, random.nextBoolean()));
            loads.add(new CallLoad(site, Answers.LATER, random.nextBoolean()));
        }
        if (has(LoadName.REGIONS)) {
            loads.add(new RegionLoad(site));
        }
        if (has(LoadName.NESTED)) {
            loads.add(new NestedLoad(site));
        }
        if (has(LoadName.CHURN)) {
            loads.add(new ChurnLoad(site));
        }
        return loads;
    }

    private List<Load> channels(Site site) {
        ChannelOptions plain = new ChannelOptions();
        int large = Math.min(settings.maxLength(), LARGE);
        return List.of(
                new ChannelLoad(site, Place.SINK, site.node().tenant("default"), plain, settings.maxLength()),
                new ChannelLoad(site, Place.SINK, site.node().tenant("gold"), plain, 4096),
                new ChannelLoad(site, Place.SINK, site.node().tenant("tin"), new ChannelOptions().urgent(true), 4096),
                new ChannelLoad(site, Place.POLLED, site.node().tenant("gold"), new ChannelOptions().weight(2), large),
                new ChannelLoad(site, Place.SMALL, site.node().tenant("default"), plain, 16 << 10),
                new ChannelLoad(site, Place.CONSUMERS, site.node().tenant("tin"), plain, 1 << 20),
                new ChannelLoad(site, Place.HOLD, site.node().tenant("default"), plain, 256 << 10));
    }

    private boolean has(LoadName load) {
        return settings.loads().contains(load);
    }
}
