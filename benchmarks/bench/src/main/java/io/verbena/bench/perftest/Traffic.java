package io.verbena.bench.perftest;

import io.verbena.nic.Completion;

/** One side's part in the messages of one size. For one thread. */
abstract class Traffic {
    final TestEnd end;
    final PerftestSettings settings;
    final SpinWait wait;

    Traffic(TestEnd end, PerftestSettings settings, SpinWait wait) {
        this.end = end;
        this.settings = settings;
        this.wait = wait;
    }

    /** Looks once for what has come. @return how much that was */
    abstract int poll();

    /** Server: whether everything of so many messages has come; called when the client has sent the last. */
    abstract boolean isComplete(long messages);

    /** Server: a phase begins. */
    void startPhase() {}

    /** Server: adds what the client wants to know of a phase. */
    ControlLine report(ControlLine message) {
        return message;
    }

    static void check(Completion completion) {
        if (!completion.isSuccess()) {
            throw new RequestFailedException(completion);
        }
    }
}
