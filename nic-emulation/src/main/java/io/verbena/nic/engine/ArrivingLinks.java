package io.verbena.nic.engine;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.verbs.NicCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what fabrics bring to an engine: new links, links that were turned away, and deaths of peers. What changes the
 * engine is done in its next turn.
 *
 * <p>Thread-safe.
 */
final class ArrivingLinks implements LinkListener {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivingLinks.class);

    private final EngineContext context;
    private final Datapath datapath;
    private final Commands commands;

    ArrivingLinks(EngineContext context, Datapath datapath, Commands commands) {
        this.context = context;
        this.datapath = datapath;
        this.commands = commands;
    }

    @Override
    public void onLink(Link link) {
        commands.later(() -> {
            if (datapath.hasFailed()) {
                link.close();
            } else {
                datapath.attach(link);
            }
        });
    }

    @Override
    public void onRejected(String remote, String reason) {
        context.counters().incrementAndGet(NicCounter.LINKS_REJECTED.ordinal());
        LOG.debug("{} turned away {}: {}", datapath, remote, reason);
    }

    @Override
    public void onPeerDied(Link link) {
        commands.later(() -> datapath.links().peerDied(link));
    }
}
