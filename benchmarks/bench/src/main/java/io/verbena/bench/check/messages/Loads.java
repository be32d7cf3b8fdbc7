package io.verbena.bench.check.messages;

import io.verbena.ChannelOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** The loads of a client. */
final class Loads {
    private static final int LARGE = 16 << 20;

    private Loads() {}

    /** What the settings say, with what the generator makes of it. */
    static List<ClientLoad> of(Site site, SplittableRandom random) {
        Set<LoadName> wanted = site.settings().loads();
        List<ClientLoad> loads = new ArrayList<>();
        if (wanted.contains(LoadName.CHANNELS)) {
            loads.addAll(channels(site));
        }
        if (wanted.contains(LoadName.ECHOES)) {
            loads.add(new EchoLoad(site, false, () -> {}));
            loads.add(new EchoLoad(site, true, () -> {}));
        }
        if (wanted.contains(LoadName.PROXY)) {
            loads.add(new ProxyLoad(site));
        }
        if (wanted.contains(LoadName.CALLS)) {
            loads.add(new CallLoad(site, Answers.NOW, random.nextBoolean()));
            loads.add(new CallLoad(site, Answers.LATER, random.nextBoolean()));
        }
        if (wanted.contains(LoadName.REGIONS)) {
            loads.add(new RegionLoad(site));
        }
        if (wanted.contains(LoadName.NESTED)) {
            loads.add(new NestedLoad(site));
        }
        if (wanted.contains(LoadName.CHURN)) {
            loads.add(new ChurnLoad(site));
        }
        return loads;
    }

    private static List<ClientLoad> channels(Site site) {
        ChannelOptions plain = new ChannelOptions();
        int large = Math.min(site.settings().maxLength(), LARGE);
        return List.of(
                new ChannelLoad(
                        site,
                        HubInbox.SINK,
                        site.node().tenant("default"),
                        plain,
                        site.settings().maxLength()),
                new ChannelLoad(site, HubInbox.SINK, site.node().tenant("gold"), plain, 4096),
                new ChannelLoad(
                        site, HubInbox.SINK, site.node().tenant("tin"), new ChannelOptions().urgent(true), 4096),
                new ChannelLoad(
                        site, HubInbox.POLLED, site.node().tenant("gold"), new ChannelOptions().weight(2), large),
                new ChannelLoad(site, HubInbox.SMALL, site.node().tenant("default"), plain, 16 << 10),
                new ChannelLoad(site, HubInbox.CONSUMERS, site.node().tenant("tin"), plain, 1 << 20),
                new ChannelLoad(site, HubInbox.HOLD, site.node().tenant("default"), plain, 256 << 10));
    }
}
