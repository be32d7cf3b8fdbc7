package io.verbena.bench.check.messages;

import java.util.SplittableRandom;

/** Lengths of messages: most are small, a few are large, and now and then one is as long as may be. */
final class Lengths {
    private static final int USUAL_MAX = 16 << 20;

    private Lengths() {}

    /** A length from 0 to a bound. */
    static int next(SplittableRandom random, int bound) {
        int lot = random.nextInt(10_000);
        int most;
        if (lot < 6_000) {
            most = 200;
        } else if (lot < 8_500) {
            most = 4 << 10;
        } else if (lot < 9_700) {
            most = 64 << 10;
        } else if (lot < 9_960) {
            most = 1 << 20;
        } else if (lot < 9_998) {
            most = 4 << 20;
        } else if (lot < 9_999 || bound <= USUAL_MAX) {
            most = USUAL_MAX;
        } else {
            most = bound;
        }
        return random.nextInt(Math.min(most, bound) + 1);
    }
}
