package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.TurnShares;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose turn it is, with connections that are made up: each executes one command after the other while it may. */
@Timeout(180)
class TenantTurnsTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<ProxyTenant> tenants = List.of(
            new ProxyTenant(ProxyTenant.DEFAULT, 1, ""), new ProxyTenant("gold", 3, ""), new ProxyTenant("tin", 1, ""));
    private TenantTurns<Client> turns = turns(tenants, new AtomicIntegerArray(3));
    private int room = Integer.MAX_VALUE;
    private long now;

    private static TenantTurns<Client> turns(List<ProxyTenant> tenants, AtomicIntegerArray workers) {
        return new TenantTurns<>(
                tenants.size(),
                new TurnShares(tenants.stream().map(ProxyTenant::party).toList(), workers, 0),
                0,
                Client::takeTurn);
    }

    /** A client with commands. */
    private final class Client {
        final int tenant;
        long left;
        long executed;
        int bytes;
        int arguments = 1;

        Client(int tenant, long commands) {
            this.tenant = tenant;
            this.left = commands;
        }

        void takeTurn() {
            for (int visit = 0; left > 0; visit++) {
                if (visit == 512 || !turns.mayExecute(tenant) || room == 0) {
                    turns.waits(tenant, this);
                    return;
                }
                left--;
                executed++;
                room--;
                turns.executed(tenant, arguments);
                turns.charge(tenant, bytes);
            }
        }
    }

    private void turn() {
        now += MS;
        turns.begin(now);
        turns.takeTurns(() -> room > 0);
    }

    private static long executed(List<Client> clients) {
        return clients.stream().mapToLong(each -> each.executed).sum();
    }

    private List<Client> flood(int tenant, int count) {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Client client = new Client(tenant, Long.MAX_VALUE);
            clients.add(client);
            turns.waits(tenant, client);
        }
        return clients;
    }

    @Test
    void floodsGetTheirWeightsPartsHoweverManyTheyAre() {
        List<Client> gold = flood(1, 1);
        List<Client> tin = flood(2, 50);
        for (int i = 0; i < 1000; i++) {
            turn();
        }
        double all = executed(gold) + executed(tin);
        assertThat(executed(gold) / all).isCloseTo(0.75, within(0.001));
        assertThat(all).isCloseTo(1000.0 * TenantTurns.COMMANDS_PER_TURN, within(600.0));
        assertThat(turns.commands(1)).isEqualTo(executed(gold));
        assertThat(turns.turnsWaited(2)).isGreaterThan(990);
    }

    /** Clients of one tenant take turns. */
    @Test
    void clientsOfATenantAreServedInTurn() {
        flood(1, 1);
        List<Client> tin = flood(2, 4);
        for (int i = 0; i < 400; i++) {
            turn();
        }
        assertThat(tin).allSatisfy(each -> assertThat(each.executed).isBetween(6000L, 6800L));
    }

    @Test
    void aTenantAloneIsNotHeldUp() {
        List<Client> gold = flood(1, 3);
        turn();
        assertThat(executed(gold)).isEqualTo(3 * 512);
        assertThat(turns.isAnyWaiting()).isTrue();
    }

    /** One with a command now and then finds a turn that is short, and has it executed in it. */
    @Test
    void whoComesWithOneCommandWaitsForNoFlood() {
        List<Client> tin = flood(2, 50);
        Client gold = new Client(1, 0);
        for (int i = 0; i < 200; i++) {
            long before = executed(tin);
            now += MS;
            turns.begin(now);
            gold.left++;
            gold.takeTurn(); // as its socket is read
            assertThat(gold.left).isZero();
            turns.takeTurns(() -> true);
            if (i > 0) { // the first one came as a surprise
                assertThat(executed(tin) - before).isLessThanOrEqualTo(2 * TenantTurns.COMMANDS_PER_TURN);
            }
        }
        assertThat(gold.executed).isEqualTo(200);
    }

    /** The other has gone: what it had is for those that are there, within 20 ms. */
    @Test
    void whatOneLeavesIsForTheOthers() {
        List<Client> gold = flood(1, 1);
        List<Client> tin = flood(2, 1);
        turn();
        gold.get(0).left = 0;
        for (int i = 0; i < 30; i++) {
            turn();
        }
        long before = executed(tin);
        turn();
        assertThat(executed(tin) - before).isEqualTo(512);
        assertThat(executed(gold)).isEqualTo(192);
    }

    /** Bytes count, and what one has used beyond its part is taken from its next turns. */
    @Test
    void longCommandsAreRepaid() {
        List<Client> gold = flood(1, 1);
        List<Client> tin = flood(2, 1);
        tin.get(0).bytes = 100 * TenantTurns.BYTES_PER_COMMAND;
        for (int i = 0; i < 4000; i++) {
            turn();
        }
        double charged = executed(gold) + 101.0 * executed(tin);
        assertThat(101.0 * executed(tin) / charged).isCloseTo(0.25, within(0.005));
    }

    /** Where there is room for few commands in a turn, a round takes several turns. */
    @Test
    void littleRoomIsForAll() {
        List<Client> gold = flood(1, 1);
        List<Client> tin = flood(2, 1);
        for (int i = 0; i < 3000; i++) {
            room = 7;
            turn();
        }
        assertThat(executed(gold) + executed(tin)).isEqualTo(21_000);
        assertThat(executed(gold) / 21_000.0).isCloseTo(0.75, within(0.01));
        assertThat(executed(tin)).isPositive();
    }

    /** A neighbour that is there, and does nothing, takes nothing: whatever its weight. */
    @Test
    void whatAHeavyNeighbourDoesNotUseIsForTheOthers() {
        List<ProxyTenant> uneven = List.of(
                new ProxyTenant(ProxyTenant.DEFAULT, 1, ""), new ProxyTenant("heavy", ProxyTenant.MAX_WEIGHT, ""));
        TurnShares shares =
                new TurnShares(uneven.stream().map(ProxyTenant::party).toList(), 0);
        TenantTurns<Runnable> own = new TenantTurns<>(2, shares, 0, Runnable::run);
        long[] executed = new long[1];
        Runnable flood = new Runnable() {
            @Override
            public void run() {
                for (int i = 0; i < 512 && own.mayExecute(0); i++) {
                    executed[0]++;
                    own.executed(0, 1);
                }
                own.waits(0, this);
            }
        };
        Runnable stuck = new Runnable() {
            @Override
            public void run() {
                own.waits(1, this); // it waits for something else
            }
        };
        own.waits(0, flood);
        own.waits(1, stuck);
        for (int i = 1; i <= 100; i++) {
            own.begin(i * MS);
            own.executed(1, 1); // a command now and then
            own.takeTurns(() -> true);
        }
        assertThat(executed[0]).isGreaterThan(90);
        own.remove(stuck);
        long before = executed[0];
        for (int i = 101; i <= 200; i++) {
            own.begin(i * MS);
            own.executed(1, 1);
            own.takeTurns(() -> true);
        }
        assertThat(executed[0] - before).isGreaterThan(100L * (TenantTurns.COMMANDS_PER_TURN - 2));
    }

    /** Commands that were executed while nobody else was there are not owed. */
    @Test
    void useWhileAloneIsNoDebt() {
        List<Client> tin = flood(2, 20);
        for (int i = 0; i < 5; i++) {
            turn(); // 10,240 commands a turn
        }
        List<Client> gold = flood(1, 1);
        long before = executed(tin);
        for (int i = 0; i < 100; i++) {
            turn();
        }
        assertThat((executed(tin) - before) / 25_600.0).isCloseTo(0.25, within(0.03));
        assertThat(executed(gold)).isPositive();
    }

    /** A command with many keys is many. */
    @Test
    void argumentsCount() {
        List<Client> gold = flood(1, 1);
        List<Client> tin = flood(2, 1);
        tin.get(0).arguments = 99 * TenantTurns.ARGUMENTS_PER_COMMAND;
        for (int i = 0; i < 4000; i++) {
            turn();
        }
        double charged = executed(gold) + 100.0 * executed(tin);
        assertThat(100.0 * executed(tin) / charged).isCloseTo(0.25, within(0.005));
    }

    /** Of tenants with the same alpha, shares stand as weights to the power of 1 / alpha. */
    @Test
    void alphaIsEvenness() {
        turns = turns(
                List.of(new ProxyTenant(ProxyTenant.DEFAULT, 1, 2, 0, ""), new ProxyTenant("gold", 9, 2, 0, "")),
                new AtomicIntegerArray(2));
        List<Client> gold = flood(1, 1);
        List<Client> others = flood(0, 1);
        for (int i = 0; i < 1000; i++) {
            turn();
        }
        assertThat((double) executed(gold) / executed(others)).isCloseTo(3, within(0.02));
    }

    /** 256 commands in a turn of 1 ms: 256,000 a second, of which a thousandth would be by weight. */
    @Test
    void aMinimumHoldsBesideAHeavyFlood() {
        List<ProxyTenant> uneven = List.of(
                new ProxyTenant(ProxyTenant.DEFAULT, 1, 1, 64_000, ""), new ProxyTenant("gold", 1000, 1, 0, ""));
        AtomicIntegerArray workers = new AtomicIntegerArray(2);
        turns = turns(uneven, workers);
        List<Client> gold = flood(1, 1);
        List<Client> others = flood(0, 1);
        for (int i = 0; i < 200; i++) {
            turn(); // what the worker can do is measured
        }
        assertThat(parts(gold, others, 1000)).isCloseTo(0.25, within(0.01));
        assertThat(turns.rate(0)).isEqualTo(64_000);
        workers.set(0, 2); // it is active on another worker too
        for (int i = 0; i < 20; i++) {
            turn();
        }
        assertThat(parts(gold, others, 1000)).isCloseTo(0.125, within(0.01));
        turns.end();
        assertThat(workers.get(0)).isEqualTo(1);
        assertThat(workers.get(1)).isZero();
    }

    /** What second has of all that both have, in so many turns. */
    private double parts(List<Client> first, List<Client> second, int count) {
        long before = executed(first);
        long beforeOfSecond = executed(second);
        for (int i = 0; i < count; i++) {
            turn();
        }
        double more = executed(second) - beforeOfSecond;
        return more / (more + executed(first) - before);
    }

    /** What a heavy tenant does not want is shared by utility, and not by the parts beside it. */
    @Test
    void whatIsLeftIsSharedByUtility() {
        List<ProxyTenant> uneven = List.of(
                new ProxyTenant(ProxyTenant.DEFAULT, 1, 1, 40_000, ""),
                new ProxyTenant("heavy", 1000, 1, 0, ""),
                new ProxyTenant("light", 1, 1, 0, ""));
        turns = turns(uneven, new AtomicIntegerArray(3));
        List<Client> others = flood(0, 1);
        List<Client> light = flood(2, 1);
        Client heavy = new Client(1, 0);
        for (int i = 0; i < 1000; i++) {
            heavy.left = 50;
            now += MS;
            turns.begin(now);
            heavy.takeTurn();
            assertThat(heavy.left).as("turn %s", i).isZero();
            turns.takeTurns(() -> true);
        }
        assertThat((double) executed(light) / executed(others)).isCloseTo(1, within(0.1));
    }

    @Test
    void whoIsGoneHasNoTurn() {
        List<Client> gold = flood(1, 2);
        turns.remove(gold.get(0));
        turn();
        assertThat(gold.get(0).executed).isZero();
        assertThat(gold.get(1).executed).isEqualTo(512);
    }
}
