package io.verbena.bench.check.messages;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The hub of a peer that is in a process of its own: asked by lines of its output, which its parent answers. */
final class DistantHost implements HubHost {
    private static final long ASK_NANOS = 3_000_000;

    private final String address;
    private final FabricName fabric;
    private final PrintStream out;
    private final RegionSums sums;
    private final Map<Integer, Long> counts = new ConcurrentHashMap<>();
    private final Map<Integer, Long> asked = new ConcurrentHashMap<>();

    DistantHost(String address, FabricName fabric, PrintStream out, Findings findings) {
        this.address = address;
        this.fabric = fabric;
        this.out = out;
        this.sums = new RegionSums(address, findings);
    }

    /** The parent has answered. */
    void count(int stream, long received) {
        counts.put(stream, received);
    }

    @Override
    public FabricName fabric() {
        return fabric;
    }

    @Override
    public String address(String name) {
        return address + "/" + name;
    }

    @Override
    public long received(int stream) {
        long now = System.nanoTime();
        Long last = asked.get(stream);
        if (last == null || now - last > ASK_NANOS) {
            asked.put(stream, now);
            out.println(SoakPeerProcess.COUNT + stream);
        }
        return counts.getOrDefault(stream, 0L);
    }

    @Override
    public boolean isDisturbed() {
        return false;
    }

    @Override
    public void finish(HubInbox place, int stream, long sent) {
        out.println(SoakPeerProcess.FINISH + place.name() + " " + stream + " " + sent);
    }

    @Override
    public RegionSums sums() {
        return sums;
    }

    @Override
    public void judgeTable() {} // others were killed with operations under way: nobody knows the sums

    @Override
    public String state() {
        return "hub at " + address;
    }

    @Override
    public void close() {}
}
