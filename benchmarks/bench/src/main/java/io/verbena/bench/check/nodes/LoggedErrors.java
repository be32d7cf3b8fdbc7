package io.verbena.bench.check.nodes;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.verbena.verification.walk.WalkFailure;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * What Verbena logs and a walk gave no cause for, which is a failure of that walk: errors and warnings of the thread
 * that walks, and those of threads that do not walk, while it is under way. Meanwhile nothing of Verbena's goes to
 * other logs.
 *
 * <p>Thread-safe.
 */
final class LoggedErrors implements AutoCloseable {
    /**
     * Whose warnings tell what walks do: they close channels before all has come, and inboxes of which they hold
     * messages.
     */
    private static final Set<String> EXPECTED = Set.of("io.verbena.connection.Closings", "io.verbena.Inbox");

    /** Whose warnings name peers that were refused; those that only went away may have been restarted, or this side. */
    private static final String REFUSING = "io.verbena.fabric.RejectionLog";

    private static final Pattern WENT_AWAY =
            Pattern.compile("closed (before|after) .*hello|failed in its hello|this side is closing");

    /** Whose warnings tell that the machine is slow. */
    private static final String SLOW = "io.verbena.dispatch.TenantCallbacks";

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.verbena");
    private static final List<LoggedErrors> WALKS = new CopyOnWriteArrayList<>();
    private static final Judge JUDGE = new Judge();

    private final Thread walker = Thread.currentThread();
    private final Consumer<WalkFailure> onError;

    private LoggedErrors(Consumer<WalkFailure> onError) {
        this.onError = onError;
    }

    /** Tells of what is logged from now on. By the thread that walks; any thread is told. */
    static LoggedErrors tell(Consumer<WalkFailure> onError) {
        LoggedErrors walk = new LoggedErrors(onError);
        JUDGE.begin(walk);
        return walk;
    }

    @Override
    public void close() {
        JUDGE.end(this);
    }

    /** Takes what is logged, and judges it. */
    private static final class Judge extends AppenderBase<ILoggingEvent> {
        private Level level = Level.WARN;

        synchronized void begin(LoggedErrors walk) {
            if (WALKS.isEmpty()) {
                level = LOGGER.getLevel();
                LOGGER.setLevel(Level.WARN);
                LOGGER.setAdditive(false);
                LOGGER.addAppender(this);
                start();
            }
            WALKS.add(walk);
        }

        synchronized void end(LoggedErrors walk) {
            WALKS.remove(walk);
            if (WALKS.isEmpty()) {
                LOGGER.detachAppender(this);
                LOGGER.setAdditive(true);
                LOGGER.setLevel(level);
                stop();
            }
        }

        @Override
        protected void append(ILoggingEvent event) {
            if (hasCause(event)) {
                return;
            }
            IThrowableProxy cause = event.getThrowableProxy();
            WalkFailure failure = new WalkFailure("logged by " + event.getThreadName() + ", " + event.getLevel() + ": "
                    + event.getFormattedMessage() + (cause == null ? "" : "\n" + ThrowableProxyUtil.asString(cause)));
            List<LoggedErrors> own = WALKS.stream()
                    .filter(walk -> walk.walker == Thread.currentThread())
                    .toList();
            (own.isEmpty() ? WALKS : own).forEach(walk -> walk.onError.accept(failure));
        }

        private static boolean wentAway(ILoggingEvent event) {
            return WENT_AWAY.matcher(event.getFormattedMessage()).find();
        }

        private static boolean hasCause(ILoggingEvent event) {
            IThrowableProxy cause = event.getThrowableProxy();
            String by = event.getLoggerName();
            return event.getLevel().equals(Level.WARN)
                    ? EXPECTED.contains(by) || by.equals(SLOW) || (by.equals(REFUSING) && wentAway(event))
                    : cause != null && cause.getClassName().equals(NodeCalls.Refusal.class.getName());
        }
    }
}
