package io.verbena.nic.arbiter;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two engines charge a group and take from its ceiling: nothing is lost, one lot is given once. */
@JCStressTest
@Outcome(id = "30, 1, 0", expect = ACCEPTABLE, desc = "all is counted, the first engine has the lot")
@Outcome(id = "30, 0, 1", expect = ACCEPTABLE, desc = "all is counted, the second engine has the lot")
@Outcome(expect = FORBIDDEN, desc = "lost, or given twice")
@State
public class LedgerStress {
    private static final long NOW = 1_000_000_000;

    private final GroupLedger ledger = new GroupLedger(2);
    private int first;
    private int second;

    /** Creates a group that may send one lot now. */
    public LedgerStress() {
        ledger.rates(1_000_000, 0);
        ledger.takeTokens(ledger.lot(), NOW); // what an idle group has saved up
    }

    /** One engine. */
    @Actor
    public void one() {
        ledger.add(0, 10);
        first = (int) ledger.takeTokens(ledger.lot(), NOW) / ledger.lot();
    }

    /** The other. */
    @Actor
    public void other() {
        ledger.add(1, 20);
        second = (int) ledger.takeTokens(ledger.lot(), NOW) / ledger.lot();
    }

    /** What is left. */
    @Arbiter
    public void result(III_Result r) {
        r.r1 = (int) ledger.total();
        r.r2 = first;
        r.r3 = second;
    }
}
