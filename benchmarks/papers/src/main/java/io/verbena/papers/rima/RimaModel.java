package io.verbena.papers.rima;

import io.verbena.papers.srq.Footprint;
import io.verbena.papers.srq.LinkModel;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.srq.SrqFootprint;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;

/** What the figures that are computed have in common: the paper's parameters (4; 5.1). */
final class RimaModel {
    /** The largest message. */
    static final long MAX = 1 << 20;

    /** The largest message of the runs that the paper's machines had memory for (5.1.2). */
    static final long TRUNCATED = 16 << 10;

    /** Messages in the queues of a server together (5.1.1). */
    static final long MESSAGES = QueueRun.MESSAGES;

    /** Processes of a server. */
    static final int PROCESSES = 32;

    private RimaModel() {}

    /** The sizes that have the points of the paper's Figure 2. */
    static SizeDistribution sizes() {
        return EtcWorkload.messages(EtcVariant.ETC_RIMA);
    }

    /** Queues of a process for messages of all sizes. */
    static Footprint process(SizeClasses classes) {
        return SrqFootprint.of(LinkModel.fdr(MAX), sizes(), MESSAGES, classes);
    }

    /** Bytes of one queue's reserve for buffers of the largest size at the rate of the smallest. */
    static double singleQueueReserve() {
        return process(SizeClasses.single(MAX)).reserveBytes();
    }

    /** One append queue of a process. */
    static Footprint appendQueue() {
        return SrqFootprint.rima(LinkModel.fdr(MAX), sizes(), MESSAGES);
    }
}
