package io.verbena.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whose callbacks a turn of a node runs. Where inboxes of several tenants have messages, their callbacks share the
 * thread's time by the tenants' weights: each tenant has a deficit in nanoseconds, as it has one in bytes where the
 * node sends. A tenant whose callbacks took longer than its turn pays with its next ones. A tenant that is alone is not
 * bounded.
 *
 * <p>For one thread at a time. Allocates only when the inboxes have changed.
 *
 * @param <I> an inbox
 * @param <T> a tenant
 */
final class CallbackTurns<I, T> {
    /** What all tenants that have messages get together at a time. */
    static final long ROUND_NANOS = 100_000;

    private final Function<I, T> tenantOf;
    private final ToIntFunction<T> weightOf;
    private final Predicate<I> hasMessage;
    private final ToIntFunction<I> callBack;
    private final LongSupplier clock;

    private I @Nullable [] inboxes;
    private final List<Account<I, T>> accounts = new ArrayList<>();

    private static final class Account<I, T> {
        final T tenant;
        final List<I> inboxes = new ArrayList<>();
        int next; // where it goes on
        int weight;
        long credit;
        boolean waits; // has messages, in this turn

        Account(T tenant) {
            this.tenant = tenant;
        }
    }

    /**
     * Creates it, without inboxes.
     *
     * @param tenantOf whose an inbox is
     * @param weightOf what the tenant is entitled to; asked where several tenants have messages
     * @param hasMessage whether an inbox has messages
     * @param callBack hands messages of an inbox to its callback, a bounded number, and says how many
     * @param clock in nanoseconds
     */
    CallbackTurns(
            Function<I, T> tenantOf,
            ToIntFunction<T> weightOf,
            Predicate<I> hasMessage,
            ToIntFunction<I> callBack,
            LongSupplier clock) {
        this.tenantOf = tenantOf;
        this.weightOf = weightOf;
        this.hasMessage = hasMessage;
        this.callBack = callBack;
        this.clock = clock;
    }

    /**
     * Calls back.
     *
     * @param now all inboxes; another array whenever they change
     * @return messages that were handed out
     */
    int run(I[] now) {
        if (now != inboxes) {
            arrange(now);
        }
        int waiting = accounts.size() > 1 ? look() : 0;
        if (waiting > 1) {
            grant();
        }
        int work = 0;
        for (int i = 0; i < accounts.size(); i++) {
            Account<I, T> account = accounts.get(i);
            work += waiting > 1 && account.waits ? runCharged(account) : runAll(account);
        }
        return work;
    }

    /** Also those without messages: what they have left behind is tidied up. */
    private int runAll(Account<I, T> account) {
        int work = 0;
        for (int i = 0; i < account.inboxes.size(); i++) {
            work += callBack.applyAsInt(account.inboxes.get(i));
        }
        return work;
    }

    /** As many of them in turn as its time is enough for. */
    private int runCharged(Account<I, T> account) {
        int work = 0;
        for (int i = account.inboxes.size(); i > 0 && account.credit > 0; i--) {
            I inbox = account.inboxes.get(account.next);
            account.next = account.next + 1 < account.inboxes.size() ? account.next + 1 : 0;
            long begin = clock.getAsLong();
            work += callBack.applyAsInt(inbox);
            account.credit -= clock.getAsLong() - begin;
        }
        return work;
    }

    private void arrange(I[] now) {
        List<Account<I, T>> before = new ArrayList<>(accounts);
        accounts.clear();
        for (I inbox : now) {
            T tenant = tenantOf.apply(inbox);
            Account<I, T> account = find(accounts, tenant);
            if (account == null) {
                account = find(before, tenant);
                if (account == null) {
                    account = new Account<>(tenant);
                }
                account.inboxes.clear();
                account.next = 0;
                accounts.add(account);
            }
            account.inboxes.add(inbox);
        }
        inboxes = now;
    }

    private static <I, T> @Nullable Account<I, T> find(List<Account<I, T>> among, T tenant) {
        for (Account<I, T> each : among) {
            if (each.tenant == tenant) {
                return each;
            }
        }
        return null;
    }

    /**
     * Notes who has messages; what is left over of one that has none is not kept, what it owes is. Returns how many
     * have.
     */
    private int look() {
        int waiting = 0;
        for (int i = 0; i < accounts.size(); i++) {
            Account<I, T> account = accounts.get(i);
            account.waits = false;
            for (int k = 0; k < account.inboxes.size() && !account.waits; k++) {
                account.waits = hasMessage.test(account.inboxes.get(k));
            }
            if (account.waits) {
                waiting++;
            } else {
                account.credit = Math.min(account.credit, 0);
            }
        }
        return waiting;
    }

    /** When nobody who has messages has time left, all of them get as many rounds as let one go on. */
    private void grant() {
        long weights = 0;
        for (int i = 0; i < accounts.size(); i++) {
            Account<I, T> account = accounts.get(i);
            if (account.waits) {
                if (account.credit > 0) {
                    return;
                }
                account.weight = weightOf.applyAsInt(account.tenant);
                weights += account.weight;
            }
        }
        long rounds = Long.MAX_VALUE;
        for (int i = 0; i < accounts.size(); i++) {
            Account<I, T> account = accounts.get(i);
            if (account.waits) {
                rounds = Math.min(rounds, -account.credit / share(account, weights) + 1);
            }
        }
        for (int i = 0; i < accounts.size(); i++) {
            Account<I, T> account = accounts.get(i);
            if (account.waits) {
                account.credit += rounds * share(account, weights);
            }
        }
    }

    private static long share(Account<?, ?> account, long weights) {
        return Math.max(1, ROUND_NANOS * account.weight / weights);
    }
}
