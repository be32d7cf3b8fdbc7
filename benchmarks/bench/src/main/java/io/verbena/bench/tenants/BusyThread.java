package io.verbena.bench.tenants;

/** Burns a core: what the thread of any other attack costs by being one. */
final class BusyThread implements Attack {
    private static final int SPINS = 1000;

    @Override
    public int turn() {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        return 1;
    }

    @Override
    public void close() {}
}
