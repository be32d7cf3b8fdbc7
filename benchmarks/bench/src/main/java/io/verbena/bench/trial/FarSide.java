package io.verbena.bench.trial;

import io.verbena.bench.path.End;
import io.verbena.bench.path.Idle;
import io.verbena.bench.path.Rendezvous;

/** What the far end does: it answers, or takes and says when so many messages as were sent have come. */
final class FarSide {
    static final String SENT = "sent ";
    static final String CAME = "came ";
    static final String BYE = "bye";
    private static final int LIMIT = 64;
    private static final int LOOK = 255;

    private final End far;
    private final Rendezvous rendezvous;
    private long awaited = -1;

    private FarSide(End far, Rendezvous rendezvous) {
        this.far = far;
        this.rendezvous = rendezvous;
    }

    /** Serves until the near end says bye, or is gone. */
    static void serve(End far, Rendezvous rendezvous, Setting setting) {
        if (setting.measure() != Measure.STREAM && far.isAnswered()) {
            far.echo();
        }
        FarSide side = new FarSide(far, rendezvous);
        Idle idle = new Idle(far);
        long seen = 0; // a wait of the path's own may take messages too
        for (int i = 1; (i & LOOK) != 0 || !side.isOver(); i++) {
            far.poll(LIMIT);
            if (far.taken() == seen) {
                idle.idle();
            } else {
                seen = far.taken();
                idle.reset();
            }
        }
    }

    private boolean isOver() {
        String line = rendezvous.heard();
        if (line != null && line.startsWith(SENT)) {
            awaited = Long.parseLong(line.substring(SENT.length()));
        }
        if (awaited >= 0 && (far.taken() == awaited || !far.isAnswered())) {
            rendezvous.tell(CAME + awaited);
            awaited = -1;
        }
        return BYE.equals(line) || rendezvous.isOver();
    }
}
