package io.verbena.nic.port;

/**
 * How a thread waits: after each look that found nothing it says whether the thread looks again, pauses, yields its
 * core, or goes to sleep. It decides when a thread sleeps, and not how: what it answers may cost time or a core, and
 * never a wake-up.
 *
 * <pre>
 *   look ── work ───▶ worked()
 *    ▲ │
 *    │ └─ nothing ──▶ idle() ──▶ LOOK, SPIN, YIELD ──▶ look
 *    │                       └─▶ SLEEP: arm ─▶ look again ── nothing ──▶ sleep ─▶ disarm ─▶ look ─▶ slept(began, found)
 *    └──────────────────────────────────────────────────── work ─────────────────▶ disarm
 * </pre>
 *
 * <h2>Who asks</h2>
 *
 * <p>Each engine has those of both kinds: see {@link Waiting}.
 *
 * <ul>
 *   <li>The engine's own thread asks after each turn that found nothing (modes THREAD and ASSISTED). A busy one never
 *       does.
 *   <li>An application thread that waits while another drives the engine asks: in {@code CompletionQueue.await} and
 *       {@code awaitEvent}, and in whatever waits for a node, such as {@code Inbox.await}. Of those that share a
 *       choice, {@link Factory#maxAwake} at a time do; the others sleep at once. One that was woken and finds nothing
 *       sleeps again without asking, because each arrival wakes all of them. An inbox or completion queue may have a
 *       choice of its own.
 *   <li>The application's thread that drives an engine in the mode INVOKER does not ask: it has decided to wait when
 *       it calls {@code await}.
 * </ul>
 *
 * <h2>Sleeping</h2>
 *
 * <p>On {@link Step#SLEEP} the caller keeps an order that no strategy can change. It arms: it publishes in its park
 * word that it sleeps. After a full fence it looks at all it waits for once more. Only if it finds nothing does it
 * block, until somebody wakes it, a timer is due, or at most a second has passed (an engine's thread) or its own time
 * (any other). Then it disarms. Whoever brings work writes it, fences, and reads the park word. So of the two at least
 * one sees the other, and no wake-up is lost.
 *
 * <p>Concurrency: for one thread at a time. Application threads hand theirs on with a happens-before edge. All methods
 * are called between looks, thousands of times per wait: they allocate nothing, do not block, and do not call the NIC.
 * An exception ends the wait of an application thread, which throws it; an engine's thread logs it and looks again.
 */
public interface PollStrategy extends AutoCloseable {
    /** The deadline of a wait that has none. */
    long NO_DEADLINE = Long.MAX_VALUE;

    /** Entries per look, unless somebody chooses. */
    int DEFAULT_BATCH = 256;

    /** What a thread does between two looks. */
    enum Step {
        /** Looks again at once. */
        LOOK,
        /** Tells the core that it spins ({@link Thread#onSpinWait}), then looks again. */
        SPIN,
        /** Lets another thread have the core ({@link Thread#yield}), then looks again. */
        YIELD,
        /** Arms, looks again, and sleeps if it still finds nothing. */
        SLEEP
    }

    /** Whose waits a strategy is asked about. */
    enum Waiting {
        /** The engine's own thread, for work of any kind. */
        ENGINE,
        /** Application threads, one at a time, each for a condition of its own. */
        GUEST
    }

    /** Makes the strategies of a NIC, as it opens. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes one. Called at least once for each engine and {@link Waiting}, and for each further thread that may
         * stay awake; each call makes a new one.
         *
         * @param who asks it
         */
        PollStrategy create(Waiting who);

        /**
         * How many application threads that share this choice may stay awake at a time, at least 1; the others sleep at
         * once. Each that stays awake has a strategy of its own.
         */
        default int maxAwake() {
            return 1;
        }

        /** Entries taken per look at one queue, before a thread looks at anything else; at least 1. */
        default int batch() {
            return DEFAULT_BATCH;
        }
    }

    /**
     * A wait begins, and with it what {@link #idle} counts. Follows a look that found nothing, or that is not worth
     * telling.
     *
     * @param deadlineNanos when the caller stops waiting, as {@link System#nanoTime} tells time, or {@link
     *     #NO_DEADLINE}. Once it has passed, {@link #idle} is to answer SLEEP within a bounded number of looks: the
     *     caller reads no clock while it is awake
     */
    void begin(long deadlineNanos);

    /**
     * The thread has looked and found nothing. After SLEEP an engine's thread asks again where it was woken for nothing
     * of its own.
     *
     * @return what it does next
     */
    Step idle();

    /** A thread that stayed awake since {@link #begin} has found something: the wait is over. */
    void worked();

    /** Names the present wait for {@link #slept}: asked after SLEEP, before other threads may begin waits of theirs. */
    long began();

    /**
     * A wait that slept is over. Not said of every sleep: a guest leaves it out while another one is awake.
     *
     * @param began what {@link #began} said of it
     * @param found whether what was waited for has come; otherwise its time was over
     */
    void slept(long began, boolean found);

    /** Lets go of what it holds. Idempotent; may come from another thread, and before the last question. */
    @Override
    void close();
}
