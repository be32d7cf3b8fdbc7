package io.verbena.verification.simulate;

import io.verbena.verification.walk.WalkFailure;
import java.util.HashSet;
import java.util.Set;

/** The counter at the start of a host's target region, to which all channels add 1 by fetch-and-add. Of one life. */
final class HostCounter {
    private final String host;
    private final Set<Long> originals = new HashSet<>();

    /** Additions that were posted and must succeed. */
    long posted;

    /** Additions that are not known to be done, or not. */
    long doubtful;

    HostCounter(String host) {
        this.host = host;
    }

    /** An addition was done: nobody else can have got the same original. */
    void done(DirectionModel by, ModelRequest r, long original) {
        if (!originals.add(original)) {
            throw new WalkFailure(by + ": original " + original + " of " + r + " was another's already");
        }
        if (original < 0 || original >= posted) {
            throw new WalkFailure(by + ": original " + original + " of " + r + ", only " + posted + " added");
        }
    }

    /** At the end: compares it with what was added. */
    void check(long sum, boolean everythingKnown) {
        if (sum < originals.size() || sum > posted) {
            throw new WalkFailure(host + ": shared counter " + sum + ", " + originals.size()
                    + " additions are known to be done and " + posted + " were posted");
        }
        if (everythingKnown && sum > originals.size() + doubtful) {
            throw new WalkFailure(host + ": shared counter " + sum + ", " + originals.size()
                    + " additions are done and " + doubtful + " in doubt");
        }
    }
}
