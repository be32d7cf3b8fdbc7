package io.verbena.bench.simulate;

import java.util.BitSet;
import java.util.List;

/**
 * What a seed means, and what a smaller walk leaves out of it: what is left out leaves the rest as it was.
 *
 * @param <P> the kind of plan
 */
interface Plan<P extends Plan<P>> {
    /** Whose chance it is. */
    long seed();

    /** Steps of the walk, those left out included. */
    int steps();

    /** Steps that are left out; not to be changed. */
    BitSet without();

    /** The same seed with other steps. */
    P with(int fewer, BitSet leftOut);

    /** Plans that each have one kind of fault or traffic less than this one. */
    List<P> simpler();

    /** The command that runs it again. */
    String replay();
}
