package io.verbena.bench.check.messages;

import io.verbena.bench.check.messages.MessageTally.Count;

/** A hub in this process. */
final class LocalHost implements HubHost {
    private final Hub hub;
    private final FabricName fabric;
    private final MessageTally tally;
    private final RegionSums sums;

    LocalHost(Hub hub, FabricName fabric, MessageTally tally, Findings findings) {
        this.hub = hub;
        this.fabric = fabric;
        this.tally = tally;
        this.sums = new RegionSums(hub.name(), findings);
    }

    @Override
    public FabricName fabric() {
        return fabric;
    }

    @Override
    public String address(String name) {
        return hub.address() + "/" + name;
    }

    @Override
    public long received(int stream) {
        return hub.arrivals().received(stream);
    }

    @Override
    public boolean isDisturbed() {
        return false;
    }

    @Override
    public void finish(HubInbox place, int stream, long sent) {
        hub.arrivals().finish(place, stream, sent);
    }

    @Override
    public RegionSums sums() {
        return sums;
    }

    @Override
    public void judgeTable() {
        sums.judge(hub.tableWords());
    }

    @Override
    public String state() {
        return hub.state();
    }

    @Override
    public void close() {
        hub.close();
        hub.arrivals().finishAll();
        tally.add(Count.HOLDS, hub.holds());
        tally.add(Count.CLOSES, 1);
    }
}
