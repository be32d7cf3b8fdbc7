package io.verbena.papers.avatar;

import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;

/**
 * Flows in the foreground, which send circle by circle, beside flows that always have so many under way. Each has a
 * thread and a connection of its own. Fluent; what is not said is one flow of each, of one class, with one message
 * under way, which is a circle.
 */
final class Beside {
    private static final long WARM_UP_NANOS = 100_000;
    private static final long REST_NANOS = 5_000;
    private static final long MOST_NANOS = 6_000_000;
    private static final int FULL = 300;
    private static final int QUICK = 60;

    private final Way way;
    private final int bytes;
    private int background;
    private int messages = 1;
    private int ahead = 1;
    private int flows = 1;
    private int backgroundFlows = 1;
    private int depth = 1;
    private boolean urgent;

    /**
     * Begins.
     *
     * @param way how connections get at queue pairs
     * @param bytes of a message in the foreground
     */
    Beside(Way way, int bytes) {
        this.way = way;
        this.bytes = bytes;
        background = bytes;
    }

    /** Bytes of the others' messages. */
    Beside background(int size) {
        background = size;
        return this;
    }

    /** Messages that each of the others has under way. */
    Beside depth(int messages) {
        depth = messages;
        return this;
    }

    /** Flows in the foreground, and others. */
    Beside flows(int foreground, int others) {
        flows = foreground;
        backgroundFlows = others;
        return this;
    }

    /** The foreground is in the strict class, the others are not. */
    Beside urgent(boolean is) {
        urgent = is;
        return this;
    }

    /** Messages of a circle in the foreground, and how many of them are under way at a time. */
    Beside circle(int count, int atOnce) {
        messages = count;
        ahead = atOnce;
        return this;
    }

    /** The foreground's times; of 300 circles, or of what 6 ms bring. */
    Samples run(long seed, Size size) {
        AvatarWorld world = new AvatarWorld(
                seed,
                flows + backgroundFlows + 1,
                flows + backgroundFlows,
                Math.max(bytes, background),
                way.isShared());
        Sharing sharing = new Sharing(world, way, 1);
        List<CircleLoop> loops = new ArrayList<>();
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < flows + backgroundFlows; i++) {
            connections.add(sharing.connect(urgent && i < flows));
        }
        sharing.start();
        for (int i = 0; i < connections.size(); i++) {
            if (i < flows) {
                CircleLoop loop = new CircleLoop(world, connections.get(i), bytes, messages, ahead, REST_NANOS);
                loops.add(loop);
                world.cores.start("foreground", loop);
            } else {
                List<Connection> own = List.of(connections.get(i));
                world.cores.start("background", new MessageLoop(own, background, depth));
            }
        }
        world.simulation.runFor(WARM_UP_NANOS);
        loops.forEach(CircleLoop::record);
        int wanted = size == Size.FULL ? FULL : QUICK;
        long end = world.now() + MOST_NANOS;
        while (world.now() < end && count(loops) < wanted) {
            world.simulation.runFor(WARM_UP_NANOS);
        }
        Samples all = new Samples();
        loops.forEach(loop -> all.addAll(loop.samples()));
        return all;
    }

    private static int count(List<CircleLoop> loops) {
        return loops.stream().mapToInt(loop -> loop.samples().size()).sum();
    }
}
