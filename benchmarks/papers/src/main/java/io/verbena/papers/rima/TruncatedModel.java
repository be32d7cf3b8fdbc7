package io.verbena.papers.rima;

import io.verbena.papers.srq.LinkModel;
import io.verbena.papers.srq.ReceiverMemory;
import io.verbena.papers.srq.SizeClassOptimizer;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.srq.SrqFootprint;
import io.verbena.papers.workload.SizeDistribution;
import java.util.ArrayList;
import java.util.List;

/**
 * A server of 32 processes and messages up to 16 KB, times a factor: what Figures 5 and 7 show. Reserves are each
 * process' own; the messages that wait are shared out between the processes.
 */
final class TruncatedModel {
    final SizeDistribution sizes;
    private final RimaModel model;
    final LinkModel link;
    final SizeClasses slabs;

    TruncatedModel(RimaModel model, double factor) {
        this.model = model;
        sizes = model.sizes().truncated(RimaModel.TRUNCATED).scaled(factor);
        link = model.link(sizes.max());
        slabs = SizeClasses.slabs(sizes.max());
    }

    /** The slabs merged into so many classes with the least footprint. */
    SizeClasses merged(int count) {
        return SizeClassOptimizer.least(link, sizes, model.messages() / RimaModel.PROCESSES, slabs, count);
    }

    ReceiverMemory server(SizeClasses classes) {
        return SrqFootprint.of(link, sizes, model.messages(), classes).ofProcesses(RimaModel.PROCESSES);
    }

    ReceiverMemory appendQueues() {
        return SrqFootprint.rima(link, sizes, model.messages()).ofProcesses(RimaModel.PROCESSES);
    }

    /** Total bytes with 1, 2, 3 ... SRQs, up to one a slab. */
    List<Double> totals() {
        List<Double> totals = new ArrayList<>();
        for (int count = 1; count <= slabs.count(); count++) {
            totals.add(server(merged(count)).totalBytes());
        }
        return totals;
    }

    /** The number of SRQs with the least of these totals. */
    static int best(List<Double> totals) {
        int best = 0;
        for (int i = 1; i < totals.size(); i++) {
            if (totals.get(i) < totals.get(best)) {
                best = i;
            }
        }
        return best + 1;
    }
}
