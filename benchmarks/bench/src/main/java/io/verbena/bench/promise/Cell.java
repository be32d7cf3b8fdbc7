package io.verbena.bench.promise;

import io.verbena.NodeMode;
import io.verbena.nic.wire.AppendRunFlyweight;
import io.verbena.verification.fabric.FabricKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One cell of the table.
 *
 * @param fabric between the node that sends and the node that counts
 * @param mode of both nodes
 * @param sizes of the two tenants' messages
 * @param weights of the two tenants
 * @param receiver who takes the messages
 */
record Cell(FabricKind fabric, NodeMode mode, Sizes sizes, Weights weights, ReceiverKind receiver) {
    static final List<FabricKind> FABRICS = List.of(FabricKind.LOCAL, FabricKind.SHM, FabricKind.UDS, FabricKind.TCP);
    static final List<NodeMode> MODES = List.of(NodeMode.ASSISTED, NodeMode.THREAD);

    private static final int SAMPLED_A_WAY = 3;

    /** Bytes before a request's data: its correlation id and what it is. */
    private static final int CALL_HEADER_LENGTH = 16;

    /** Bytes of the messages of either tenant. */
    enum Sizes {
        EQUAL(1 << 10, 1 << 10, "1 KiB each"),
        LARGE(256, 64 << 10, "256 B, 64 KiB"),
        HUGE(64, 1 << 20, "64 B, 1 MiB");

        final String title;
        private final int first;
        private final int second;

        Sizes(int first, int second, String title) {
            this.first = first;
            this.second = second;
            this.title = title;
        }

        int of(int tenant) {
            return tenant == 0 ? first : second;
        }
    }

    /** Those of the given choice, all combinations, in the order of the table. */
    static List<Cell> all(
            List<FabricKind> fabrics,
            List<NodeMode> modes,
            List<Sizes> sizes,
            List<Weights> weights,
            List<ReceiverKind> receivers) {
        List<Cell> cells = new ArrayList<>();
        for (FabricKind fabric : fabrics) {
            for (NodeMode mode : modes) {
                for (Sizes bytes : sizes) {
                    for (ReceiverKind receiver : receivers) {
                        for (Weights weight : weights) {
                            cells.add(new Cell(fabric, mode, bytes, weight, receiver));
                        }
                    }
                }
            }
        }
        return cells;
    }

    /** A few of each fabric and mode, such that each size, weight and receiver comes up with each of them in turn. */
    static List<Cell> sample(
            List<FabricKind> fabrics,
            List<NodeMode> modes,
            List<Sizes> sizes,
            List<Weights> weights,
            List<ReceiverKind> receivers) {
        List<Cell> cells = new ArrayList<>();
        int way = 0;
        for (FabricKind fabric : fabrics) {
            for (NodeMode mode : modes) {
                for (int i = 0; i < SAMPLED_A_WAY; i++) {
                    cells.add(new Cell(
                            fabric,
                            mode,
                            sizes.get(i % sizes.size()),
                            weights.get((way + i) % weights.size()),
                            receivers.get((way + i * i) % receivers.size())));
                }
                way++;
            }
        }
        return cells.stream().distinct().toList();
    }

    /**
     * Bytes that a message counts beside its own: what is charged for its header, which its sender's share is of too.
     * Over a socket messages that wait share packets, and so the headers of those.
     */
    int headerBytes() {
        int header = fabric == FabricKind.LOCAL || fabric == FabricKind.SHM ? 32 : AppendRunFlyweight.HEADER_LENGTH;
        return receiver == ReceiverKind.RESPONDER ? header + CALL_HEADER_LENGTH : header;
    }

    /** One line, as the far end reads it. */
    String line() {
        return String.join(" ", fabric.name(), mode.name(), sizes.name(), weights.toString(), receiver.name());
    }

    static Cell parse(String line) {
        String[] words = line.split(" ");
        return new Cell(
                FabricKind.valueOf(words[0]),
                NodeMode.valueOf(words[1]),
                Sizes.valueOf(words[2]),
                Weights.parse(words[3]),
                ReceiverKind.valueOf(words[4]));
    }

    @Override
    public String toString() {
        return String.join(
                ", ",
                fabric.optionName(),
                mode.name().toLowerCase(Locale.ROOT),
                sizes.title,
                weights.toString(),
                receiver.title);
    }
}
