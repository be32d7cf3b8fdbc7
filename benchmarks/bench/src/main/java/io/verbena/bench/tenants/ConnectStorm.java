package io.verbena.bench.tenants;

/** A new peer each time, which connects and leaves. */
final class ConnectStorm implements Attack {
    private final AttackedNic target;

    ConnectStorm(AttackedNic target) {
        this.target = target;
    }

    @Override
    public int turn() {
        target.peer().close();
        return 1;
    }

    @Override
    public void close() {}
}
