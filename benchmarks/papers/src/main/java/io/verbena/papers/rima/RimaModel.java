package io.verbena.papers.rima;

import io.verbena.papers.srq.LinkModel;
import io.verbena.papers.srq.ReceiverMemory;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.srq.SrqFootprint;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;

/**
 * What the figures that are computed have in common: the paper's parameters (4; 5.1), of which a mutation changes one.
 *
 * @param sizes of messages
 * @param link at worst, filled by the largest message
 * @param messages in the queues of a server together (5.1.1)
 */
record RimaModel(SizeDistribution sizes, LinkModel link, long messages) {
    /** The largest message. */
    static final long MAX = 1 << 20;

    /** The largest message of the runs that the paper's machines had memory for (5.1.2). */
    static final long TRUNCATED = 16 << 10;

    /** Processes of a server. */
    static final int PROCESSES = 32;

    /** The paper's: sizes that have the points of its Figure 2, 56 Gb/s, 1 ms, and the messages that it counted. */
    static final RimaModel PAPER =
            new RimaModel(EtcWorkload.messages(EtcVariant.ETC_RIMA), LinkModel.fdr(MAX), QueueRun.MESSAGES);

    /** The same with another allocation latency. */
    RimaModel withAllocation(double seconds) {
        return new RimaModel(sizes, link.withAllocation(seconds), messages);
    }

    /** The same with another rate of the smallest messages. */
    RimaModel withSmallRate(double messagesPerSecond) {
        return new RimaModel(
                sizes,
                new LinkModel(link.bytesPerSecond(), link.allocationSeconds(), messagesPerSecond, link.largest()),
                messages);
    }

    /** The same with another number of messages in the queues. */
    RimaModel withMessages(long count) {
        return new RimaModel(sizes, link, count);
    }

    /** The link, filled by messages of another size. */
    LinkModel link(long largest) {
        return new LinkModel(link.bytesPerSecond(), link.allocationSeconds(), link.smallRate(), largest);
    }

    /** Queues of a process for messages of all sizes. */
    ReceiverMemory process(SizeClasses classes) {
        return SrqFootprint.of(link, sizes, messages, classes);
    }

    /** The same of a server. */
    ReceiverMemory server(SizeClasses classes) {
        return process(classes).ofProcesses(PROCESSES);
    }

    /** Bytes of one queue's reserve for buffers of the largest size at the rate of the smallest. */
    double singleQueueReserve() {
        return process(SizeClasses.single(MAX)).reserveBytes();
    }

    /** One append queue of a process. */
    ReceiverMemory appendQueue() {
        return SrqFootprint.rima(link, sizes, messages);
    }

    /** How long a message is in the queue, so that so many are there at a rate. */
    long serviceNanos(double messagesPerSecond) {
        return Math.round(messages / messagesPerSecond * 1e9);
    }
}
