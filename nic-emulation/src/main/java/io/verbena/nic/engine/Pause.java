package io.verbena.nic.engine;

import io.verbena.nic.port.PollStrategy.Step;

/** What a thread does between two looks while it stays awake. */
final class Pause {
    private Pause() {}

    /** Does what the step says; nothing for those that are no pause. */
    static void of(Step step) {
        if (step == Step.SPIN) {
            Thread.onSpinWait();
        } else if (step == Step.YIELD) {
            Thread.yield();
        }
    }
}
