package io.verbena.bench.trial;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.verification.RunException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Parameters;

/**
 * What a process that measures, or is the other side of one that does, is started with: a role, and a setting in
 * JSON. It tells its result in a line, which {@link JavaProcess#result} reads.
 */
public abstract class ChildCommand implements Callable<Integer> {
    static final String RESULT = "result ";

    /** What it is to do. */
    @Parameters(index = "0")
    protected String role = "";

    /** How, a setting in JSON. */
    @Parameters(index = "1", description = "A setting in JSON.")
    protected String json = "";

    /** Plays the role. */
    protected abstract void run();

    /** On a thread of Netty's: on others its writes allocate more. */
    @Override
    public final Integer call() throws InterruptedException {
        int[] status = {1};
        Thread thread = new FastThreadLocalThread(() -> status[0] = guarded(), role + "-end");
        thread.start();
        thread.join();
        return status[0];
    }

    private int guarded() {
        try {
            run();
            return 0;
        } catch (RunException e) {
            System.err.println(role + " end: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            System.err.println(role + " end: " + e);
        }
        return 1;
    }

    /** Tells the process that started this one what came of it. */
    protected static void tell(Object result) {
        System.out.println(RESULT + Json.line(result));
        System.out.flush();
    }

    /** A role that there is not. */
    protected final RunException unknownRole(String expected) {
        return new RunException("unknown role '" + role + "', expected " + expected);
    }
}
