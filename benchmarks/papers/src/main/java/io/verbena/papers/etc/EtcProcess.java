package io.verbena.papers.etc;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.trial.Json;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.verification.RunException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The consumer, or some of the senders, in a process of its own; started by {@link EtcRun}. */
@Command(name = "etc-process", description = "Consumer or senders; started by bench etc.")
public final class EtcProcess implements Callable<Integer> {
    static final String CONSUMER = "consumer";
    static final String SENDERS = "senders";
    static final String REPORT = "report ";

    @Parameters(index = "0")
    String role = "";

    @Parameters(index = "1", description = "An EtcSetting in JSON.")
    String json = "";

    @Parameters(index = "2", arity = "0..1", description = "Number of the first sender.")
    int first;

    @Override
    public Integer call() throws InterruptedException {
        int[] status = {1};
        Thread thread = new FastThreadLocalThread(() -> status[0] = run(), role);
        thread.start();
        thread.join();
        return status[0];
    }

    private int run() {
        try {
            EtcSetting setting = EtcSetting.parse(json);
            if (role.equals(CONSUMER)) {
                ParentWatch.start();
                System.out.println(REPORT + Json.line(ConsumerProcess.run(setting)));
                System.out.flush();
            } else if (role.equals(SENDERS)) {
                Rendezvous rendezvous = Rendezvous.withParent();
                SenderProcess.run(setting, rendezvous, first);
            } else {
                throw new RunException("unknown role '" + role + "', expected " + CONSUMER + " or " + SENDERS);
            }
            return 0;
        } catch (RunException e) {
            System.err.println(role + ": " + e.getMessage());
            return 1;
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            return 1;
        }
    }
}
