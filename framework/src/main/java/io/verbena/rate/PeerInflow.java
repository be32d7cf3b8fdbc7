package io.verbena.rate;

import java.util.Arrays;

/**
 * What a peer sends here, by targets of this node: its last report, and what it was granted for it. Rates are in
 * millions a second.
 *
 * <p>A grant that falls is held until the peer says that it keeps it, and no other is made meanwhile: what is held is
 * never less than what the peer may send.
 */
final class PeerInflow {
    /** Between its inverse and this, utilities may bend: penalties are then finite, and not 0. */
    private static final double MAX_CURVATURE = 1e100;

    final double[] rate;
    final double[] curvature;
    final double[] share;
    final double[] minimum;

    /** What it was granted last; 0 for nothing yet. */
    final double[] granted;

    /** What it may be using. */
    final double[] held;

    /** What its report comes to if the capacity is kept; scratch. */
    final double[] wanted;

    /** Step of the report, and of the last one that was used. */
    long step;

    long used;

    /** Whether it sends something here. */
    boolean isReporting;

    /** Message that says first that a grant has fallen; 0 if none has that was not confirmed. */
    long unconfirmed;

    /** When it was sent. */
    long unconfirmedSince;

    PeerInflow(int targets) {
        rate = new double[targets];
        curvature = new double[targets];
        share = new double[targets];
        minimum = new double[targets];
        granted = new double[targets];
        held = new double[targets];
        wanted = new double[targets];
    }

    /** Takes a report of a plausible message; no rate is believed to be above the capacity, no curvature extreme. */
    void hear(RateMessage m, double capacity) {
        isReporting = m.reportStep > 0 && m.reports == rate.length && m.sendsAnything();
        if (!isReporting) {
            release();
        } else if (m.reportStep > step) {
            step = m.reportStep;
            for (int t = 0; t < rate.length; t++) {
                rate[t] = Math.min(m.rate[t], capacity);
                curvature[t] =
                        m.curvature[t] == 0 ? 0 : Math.max(1 / MAX_CURVATURE, Math.min(m.curvature[t], MAX_CURVATURE));
                share[t] = m.share[t];
                minimum[t] = Math.min(m.minimum[t], rate[t]);
            }
        }
    }

    /** The peer keeps all grants up to a message. */
    void confirm(long sequence) {
        if (unconfirmed > 0 && sequence >= unconfirmed) {
            unconfirmed = 0;
            System.arraycopy(granted, 0, held, 0, held.length);
        }
    }

    /** Whether a report has come that no step was made with. */
    boolean isNew() {
        return isReporting && step > used;
    }

    double heldTogether() {
        double sum = 0;
        for (double part : held) {
            sum += part;
        }
        return sum;
    }

    /** It sends nothing, and may send nothing, until it reports again. */
    void release() {
        isReporting = false;
        step = 0;
        used = 0;
        unconfirmed = 0;
        Arrays.fill(granted, 0);
        Arrays.fill(held, 0);
    }

    /** It is not known what it keeps, until it confirms the next message. */
    void suspect() {
        isReporting = false;
        step = 0;
        used = 0;
        unconfirmed = 1;
        Arrays.fill(granted, 0);
    }
}
