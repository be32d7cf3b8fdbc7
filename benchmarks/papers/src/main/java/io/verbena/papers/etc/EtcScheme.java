package io.verbena.papers.etc;

import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.papers.receive.AppendScheme;
import io.verbena.papers.receive.Scheme;
import io.verbena.papers.receive.SrqBySize;
import io.verbena.papers.srq.LinkModel;
import io.verbena.papers.srq.SizeClassOptimizer;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.verification.RunException;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/** Ways to receive that are compared, each within the same memory. */
enum EtcScheme {
    /** One append queue with its defaults. */
    APPEND,
    /** One shared receive queue, every buffer of the largest size. */
    SRQ,
    /** Shared receive queues by size: classes and numbers of buffers fitted to the traffic. */
    SRQ_TUNED;

    private static final int CLASSES = 8;
    private static final int MIN_BUFFERS = 2;

    /** A scheme, ready to be opened, and which messages of a sender keep their order. */
    record Made(Scheme scheme, int lanes, IntUnaryOperator laneOf) {}

    String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static EtcScheme of(String name) {
        return Arrays.stream(values())
                .filter(each -> each.optionName().equals(name))
                .findFirst()
                .orElseThrow(() -> new RunException("unknown scheme '" + name + "', expected "
                        + Arrays.stream(values()).map(EtcScheme::optionName).collect(Collectors.joining(", "))));
    }

    Made make(EtcSetting setting) {
        switch (this) {
            case APPEND:
                return new Made(
                        new AppendScheme(new AppendQueueAttributes()
                                .maxMessage(EtcSetting.MAX)
                                .memoryLimit(setting.cap())),
                        1,
                        length -> 0);
            case SRQ:
                return new Made(
                        SrqBySize.single(EtcSetting.MAX, (int) (setting.cap() / EtcSetting.MAX)), 1, length -> 0);
            default:
                SrqBySize tuned = tuned(setting);
                return new Made(
                        tuned,
                        tuned.classes().count(),
                        length -> tuned.classes().classOf(length));
        }
    }

    private static SrqBySize tuned(EtcSetting setting) {
        FramedSizes sizes = new FramedSizes(setting.payloads(), EtcMessageFlyweight.HEADER_LENGTH);
        long waiting = (long) Math.max(1, setting.rate() * setting.stallMillis() / 1e3);
        SizeClasses classes = SizeClassOptimizer.least(
                LinkModel.fdr(EtcSetting.MAX), sizes, waiting, SizeClasses.slabs(EtcSetting.MAX), CLASSES);
        return SrqBySize.under(setting.cap(), sizes, classes, MIN_BUFFERS);
    }
}
