package io.verbena.bench.overflow;

/** Something that is done once: when this is closed, or when the process is ended before, by SIGINT for one. */
final class AtEnd implements AutoCloseable {
    private final Runnable action;
    private final Thread hook;

    AtEnd(Runnable action) {
        this.action = action;
        this.hook = new Thread(action, "at-end");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            if (!Runtime.getRuntime().removeShutdownHook(hook)) {
                return; // it was closed before
            }
        } catch (IllegalStateException e) { // the process is ending: the hook does it
            return;
        }
        action.run();
    }
}
