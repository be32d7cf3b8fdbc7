package io.verbena.papers.etc;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.trial.ChildCommand;
import io.verbena.bench.trial.ParentWatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The consumer, or some of the senders, in a process of its own; started by {@link EtcRun}. */
@Command(name = "etc-process", description = "Consumer or senders; started by bench etc.")
public final class EtcProcess extends ChildCommand {
    static final String CONSUMER = "consumer";
    static final String SENDERS = "senders";

    @Parameters(index = "2", arity = "0..1", description = "Number of the first sender.")
    int first;

    @Override
    protected void run() {
        EtcSetting setting = EtcSetting.parse(json);
        if (role.equals(CONSUMER)) {
            ParentWatch.start();
            tell(ConsumerProcess.run(setting));
        } else if (role.equals(SENDERS)) {
            SenderProcess.run(setting, Rendezvous.withParent(), first);
        } else {
            throw unknownRole(CONSUMER + " or " + SENDERS);
        }
    }
}
