package io.verbena.bench.check.messages;

import io.verbena.ChannelOptions;
import java.util.List;

/** Callbacks and handlers of polls, here and at the hub, that drive their node, wait and connect while they run. */
final class NestedLoad implements ClientLoad {
    private final List<ClientLoad> parts;

    NestedLoad(Site site) {
        NestedActions actions = new NestedActions(site.node(), site.entrance(), site.random(13));
        parts = List.of(
                new ChannelLoad(site, HubInbox.NESTED, site.node().tenant("default"), new ChannelOptions(), 1 << 10),
                new EchoLoad(site, true, actions::act),
                new EchoLoad(site, false, actions::act));
    }

    @Override
    public void open() {
        parts.forEach(ClientLoad::open);
    }

    @Override
    public int step(boolean more) {
        int done = 0;
        for (ClientLoad part : parts) {
            done += part.step(more);
        }
        return done;
    }

    @Override
    public boolean isSettled() {
        return parts.stream().allMatch(ClientLoad::isSettled);
    }

    @Override
    public void close() {
        parts.forEach(ClientLoad::close);
    }

    @Override
    public String state() {
        StringBuilder text = new StringBuilder("nested load");
        parts.forEach(part -> text.append("\n    ").append(part.state()));
        return text.toString();
    }
}
