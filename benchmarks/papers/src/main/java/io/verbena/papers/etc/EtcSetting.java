package io.verbena.papers.etc;

import io.verbena.bench.trial.Json;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.papers.workload.EtcValueSizes;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;
import io.verbena.verification.RunException;

/**
 * What is run, the same in all processes.
 *
 * @param scheme how it is received
 * @param seconds that messages are scheduled for
 * @param stallEvery seconds from a stall to the next; the first comes after half of it
 * @param stallMillis how long the consumer stalls
 * @param rate messages a second of all senders together
 * @param largestOneIn one message in so many has the largest size
 * @param cap bytes that the receiver may hold
 * @param seed of sizes and gaps
 * @param killEvery seconds from the moment that all send until a process of senders is killed; 0 for never
 */
record EtcSetting(
        EtcScheme scheme,
        double seconds,
        double stallEvery,
        int stallMillis,
        double rate,
        long largestOneIn,
        long cap,
        long seed,
        double killEvery) {
    static final int PROCESSES = 2;
    static final int SENDERS_EACH = 4;
    static final int SENDERS = PROCESSES * SENDERS_EACH;
    static final int MAX = 1 << 20;
    private static final int MAX_PAYLOAD = MAX - EtcMessageFlyweight.HEADER_LENGTH;

    EtcSetting {
        range("--seconds", seconds, 0.1, 3600);
        range("--stall-every", stallEvery, 0.1, 3600);
        range("--stall-millis", stallMillis, 0, 10_000);
        range("--rate", rate, SENDERS, 1e7);
        range("--largest-one-in", (double) largestOneIn, 1, 1e12);
        range("--cap", (double) cap / MAX, 8, SharedReceiveQueue.MAX_DEPTH);
        range("--kill", killEvery, 0, 3600);
        if (killEvery > 0 && scheme != EtcScheme.APPEND) {
            throw new RunException("--kill " + killEvery + " with scheme " + scheme.optionName()
                    + ": only an append queue has places that a dead sender leaves open");
        }
        if (killEvery > 0 && killEvery > seconds - Killer.QUIET_SECONDS) {
            throw new RunException("--kill " + killEvery + " > " + (seconds - Killer.QUIET_SECONDS)
                    + ": nobody is killed in the last " + Killer.QUIET_SECONDS + " of " + seconds + " s");
        }
        if (stallMillis > stallEvery * 500) {
            throw new RunException("stalls of " + stallMillis + " ms > half of the " + stallEvery + " s between them");
        }
    }

    private static void range(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new RunException(name + " " + value + " outside " + least + ".." + most);
        }
    }

    /** Lengths of what follows a message's header. */
    SizeDistribution payloads() {
        return new EtcValueSizes().truncated(MAX_PAYLOAD).injecting(MAX_PAYLOAD, largestOneIn);
    }

    /** Processes of senders, those included that take the place of killed ones. */
    int mostProcesses() {
        return PROCESSES + (killEvery == 0 ? 0 : (int) (seconds / killEvery));
    }

    /** The traffic of a sender. */
    EtcWorkload traffic(int sender) {
        return new EtcWorkload(EtcVariant.ETC, seed + sender).sizes(payloads()).load(rate / SENDERS);
    }

    /** When the consumer stalls in a run that starts at a time. */
    StallPlan stalls(long start) {
        return new StallPlan(start, nanos(seconds), nanos(stallEvery), stallMillis * 1_000_000L);
    }

    static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    String json() {
        return Json.line(this);
    }

    static EtcSetting parse(String json) {
        return Json.parse(json, EtcSetting.class);
    }
}
