package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Engines as plain rounds by weight, of equal speed, that ask their accounts at each turn. */
class EngineAccountsTest {
    private static final int TOTAL = 96 * 1024;
    private static final Percentage ONE_PERCENT = Percentage.withPercentage(1);

    private static final class Round {
        private final EngineAccounts books;
        private final List<FlowGroup> groups = new ArrayList<>();
        private final List<GroupAccount> accounts = new ArrayList<>();
        private final List<Long> credits = new ArrayList<>();
        private int next;
        private long room;

        Round(int engine, int engines) {
            books = new EngineAccounts(engine, engines, 0);
        }

        GroupAccount add(FlowGroup group) {
            GroupAccount account = new GroupAccount(books, group);
            account.enter();
            groups.add(group);
            accounts.add(account);
            credits.add(0L);
            return account;
        }

        void remove(GroupAccount account) {
            int i = accounts.indexOf(account);
            account.leave();
            groups.remove(i);
            accounts.remove(i);
            credits.remove(i);
            next = 0;
        }

        /** Serves messages of 1000 until so much is done. */
        void serve(long units) {
            room += units; // what a turn was longer by is missing from the next call
            while (room > 0 && !groups.isEmpty()) {
                next %= groups.size();
                int sum = groups.stream().mapToInt(FlowGroup::weight).sum();
                GroupAccount account = accounts.get(next);
                long turn = Math.max(1, (long) TOTAL * groups.get(next).weight() / sum);
                long credit = credits.get(next) + turn + account.correct(turn);
                while (credit > 0) {
                    account.charge(1000, 1, 1000);
                    credit -= 1000;
                    room -= 1000;
                }
                credits.set(next, credit);
                next++;
            }
        }
    }

    private static FlowGroup group(int index, int weight) {
        return new FlowGroup(index, weight, 2);
    }

    private static void run(Round one, Round two, int megabytes) {
        for (int i = 0; i < megabytes * 20; i++) {
            one.serve(50_000);
            two.serve(50_000);
        }
    }

    @Test
    void whoIsOnBothEnginesGetsItsWeightAndNoMore() {
        FlowGroup a = group(1, 1);
        FlowGroup b = group(2, 1);
        Round one = new Round(0, 2);
        Round two = new Round(1, 2);
        one.add(a);
        one.add(b);
        two.add(a);
        run(one, two, 500);
        assertThat(a.statistics().charged()).isCloseTo(b.statistics().charged(), Percentage.withPercentage(2));
        assertThat(a.statistics().share(a.statistics(), b.statistics())).isCloseTo(0.5, within(0.005));
        assertThat(a.statistics().entitlement(a.statistics(), b.statistics())).isCloseTo(0.5, within(0.005));
    }

    @Test
    void whatIsServedElsewhereOutsideTheScheduleCountsToo() {
        FlowGroup a = group(1, 1);
        FlowGroup b = group(2, 1);
        Round one = new Round(0, 2);
        one.add(a);
        one.add(b);
        GroupAccount onTwo = new GroupAccount(new EngineAccounts(1, 2, 0), a);
        for (int i = 0; i < 200_000; i++) {
            one.serve(2000);
            onTwo.charge(1000, 1, 1000); // alone there, half as fast
        }
        assertThat(a.statistics().charged()).isCloseTo(b.statistics().charged(), ONE_PERCENT);
    }

    @Test
    void weightsHoldAcrossEngines() {
        FlowGroup a = group(1, 3);
        FlowGroup b = group(2, 2);
        FlowGroup c = group(3, 1);
        Round one = new Round(0, 2);
        Round two = new Round(1, 2);
        one.add(a);
        one.add(b);
        two.add(a);
        two.add(c);
        run(one, two, 500);
        GroupStatistics[] all = {a.statistics(), b.statistics(), c.statistics()};
        assertThat(a.statistics().share(all)).isCloseTo(3 / 6.0, ONE_PERCENT);
        assertThat(b.statistics().share(all)).isCloseTo(2 / 6.0, ONE_PERCENT);
        assertThat(c.statistics().share(all)).isCloseTo(1 / 6.0, ONE_PERCENT);
        for (GroupStatistics each : all) {
            assertThat(each.entitled()).isCloseTo(each.charged(), ONE_PERCENT);
        }
    }

    @Test
    void whatCannotBeMetIsNotOwedForEver() {
        FlowGroup a = group(1, 3);
        FlowGroup b = group(2, 27);
        Round one = new Round(0, 2);
        Round two = new Round(1, 2);
        one.add(a);
        GroupAccount bHere = one.add(b);
        two.add(a);
        run(one, two, 500); // all of engine one is less than nine tenths
        assertThat(b.statistics().charged()).isGreaterThan(490_000_000L);
        long before = a.statistics().charged();
        assertThat(before).isGreaterThan(500_000_000L); // never quite shut out
        one.remove(bHere);
        FlowGroup c = group(3, 1);
        one.add(c);
        long a0 = a.statistics().charged();
        run(one, two, 50);
        // C is not made to pay for what A had of engine two, nor for what B could not have.
        assertThat(a.statistics().charged() - a0).isCloseTo(75_000_000L, Percentage.withPercentage(12));
        assertThat(c.statistics().charged()).isCloseTo(25_000_000L, Percentage.withPercentage(35));
    }

    @Test
    void whatNobodyElseCouldHaveHadIsNotHeldAgainstAGroup() {
        FlowGroup a = group(1, 1);
        FlowGroup b = group(2, 1);
        FlowGroup d = group(3, 1);
        FlowGroup e = group(4, 1);
        Round one = new Round(0, 2);
        Round two = new Round(1, 2);
        one.add(b); // alone here: twice what D and E get
        two.add(d);
        two.add(e);
        run(one, two, 300);
        one.add(a);
        long before = b.statistics().charged();
        run(one, two, 10);
        assertThat(b.statistics().charged() - before).isCloseTo(5_000_000L, Percentage.withPercentage(3));
        assertThat(a.statistics().charged()).isCloseTo(5_000_000L, Percentage.withPercentage(3));
    }

    @Test
    void entitlementFollowsWhoHasWorkAndWeights() {
        FlowGroup a = new FlowGroup(1, 1, 1);
        FlowGroup b = new FlowGroup(2, 3, 1);
        EngineAccounts books = new EngineAccounts(0, 1, 0);
        GroupAccount ofA = new GroupAccount(books, a);
        GroupAccount ofB = new GroupAccount(books, b);
        ofA.charge(1000, 1, 1000); // nobody stands in the schedule: its own
        ofA.enter();
        ofA.charge(600, 1, 600); // alone
        ofB.enter();
        ofA.charge(200, 1, 200);
        ofB.charge(200, 1, 200); // 400 for weights 1 and 3
        b.weight(1);
        ofB.reweigh();
        ofB.charge(80, 1, 80); // 80 for 1 and 1
        ofB.leave();
        ofA.charge(10, 1, 10); // alone
        ofA.leave();
        assertThat(a.statistics().entitled()).isEqualTo(1000 + 600 + 100 + 40 + 10);
        assertThat(b.statistics().entitled()).isEqualTo(300 + 40);
        assertThat(a.statistics().bytes()).isEqualTo(1810);
        assertThat(a.statistics().messages()).isEqualTo(4);
        assertThat(b.statistics().visits()).isEqualTo(2);
    }

    @Test
    void aTurnIsNeverTakenWholeNorMoreThanDoubled() {
        EngineBalance engine = new EngineBalance(0, 2, 0);
        GroupBalance account = new GroupBalance(engine, group(1, 1));
        account.enter();
        account.correction = -1_000_000;
        assertThat(account.correct(1280)).isZero(); // nobody else could have it
        new GroupBalance(engine, group(2, 1)).enter();
        assertThat(account.correct(1)).isZero();
        assertThat(account.correct(1280)).isEqualTo(-1270);
        account.correction = 1_000_000;
        assertThat(account.correct(1280)).isEqualTo(1280);
        assertThat(account.correction).isEqualTo(1_000_000 - 1280);
    }
}
