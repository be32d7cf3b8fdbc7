package io.verbena.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MergePlanTest {
    private static final int PAGE = 4096;

    private final MergeRequests requests = new MergeRequests(MergeSettings.BATCH);
    private final int[] tickets = new int[MergeSettings.BATCH];
    private int count;

    private void add(byte kind, long offset, int length) {
        requests.fill(count, kind, offset, length);
        tickets[count] = count;
        count++;
    }

    private MergePlan plan(boolean merges) {
        MergePlan plan = new MergePlan(requests, merges);
        plan.make(tickets, count, MergeSettings.MAX_BYTES);
        return plan;
    }

    /** The runs as text: W for WRITE and so on, with the operations of each by address. */
    private static String text(MergePlan plan, MergeRequests requests) {
        StringBuilder text = new StringBuilder();
        for (int run = 0; run < plan.runs(); run++) {
            text.append(text.isEmpty() ? "" : " ").append("RWCFV".charAt(requests.kinds[plan.ticket(run, 0)]));
            for (int i = 0; i < plan.size(run); i++) {
                text.append(i == 0 ? "" : ",").append(plan.ticket(run, i));
            }
        }
        return text.toString();
    }

    private String planned() {
        return text(plan(true), requests);
    }

    @Test
    void joinsWhatIsAdjacentInEitherDirection() {
        add(MergeRequests.WRITE, 100, 10);
        add(MergeRequests.WRITE, 110, 5);
        add(MergeRequests.WRITE, 90, 10);
        add(MergeRequests.WRITE, 116, 4); // a byte is between
        assertThat(planned()).isEqualTo("W2,0,1 W3");
    }

    @Test
    void untanglesStreamsOfSeveralThreads() {
        for (int i = 0; i < 8; i++) {
            add(MergeRequests.WRITE, (long) i * PAGE, PAGE);
            add(MergeRequests.READ, 1_000_000 + (long) i * PAGE, PAGE);
            add(MergeRequests.WRITE, 2_000_000 - (long) i * PAGE, PAGE);
        }
        MergePlan plan = plan(true);
        assertThat(plan.runs()).isEqualTo(3);
        for (int run = 0; run < 3; run++) {
            assertThat(plan.size(run)).isEqualTo(8);
            assertThat(plan.length(run)).isEqualTo(8 * PAGE);
        }
        assertThat(text(plan, requests)).startsWith("W0,3,6,9,12,15,18,21 R1,4").endsWith("W23,20,17,14,11,8,5,2");
    }

    @Test
    void keepsToTheLimitsOfAWorkRequest() {
        for (int i = 0; i < 40; i++) {
            add(MergeRequests.WRITE, i * 8L, 8);
        }
        assertThat(plan(true).size(0)).isEqualTo(MergeSettings.MAX_ENTRIES);
        count = 0;
        for (int i = 0; i < 5; i++) {
            add(MergeRequests.READ, i * 32L * 1024, 32 << 10);
        }
        MergePlan plan = plan(true);
        assertThat(plan.length(0)).isEqualTo(MergeSettings.MAX_BYTES);
        assertThat(plan.runs()).isEqualTo(2);
        count = 0;
        add(MergeRequests.READ, 0, 1 << 20); // one may be longer, alone
        add(MergeRequests.READ, 1 << 20, 1);
        assertThat(planned()).isEqualTo("R0 R1");
    }

    @Test
    void keepsTheOrderOfOverlaps() {
        add(MergeRequests.WRITE, 10, 10);
        add(MergeRequests.WRITE, 15, 10);
        add(MergeRequests.WRITE, 0, 10);
        assertThat(planned()).as("0 and 2 are adjacent, and 1 is between").isEqualTo("W0 W1 W2");
        count = 0;
        add(MergeRequests.WRITE, 10, 10);
        add(MergeRequests.READ, 19, 1);
        assertThat(planned()).isEqualTo("W0 R1");
        count = 0;
        add(MergeRequests.READ, 20, 10);
        add(MergeRequests.READ, 0, 100); // may pass: both read
        add(MergeRequests.READ, 10, 10);
        add(MergeRequests.WRITE, 29, 1);
        assertThat(planned()).isEqualTo("R2,0 R1 W3");
    }

    @Test
    void nothingPassesAnAtomicOperation() {
        add(MergeRequests.WRITE, 0, 8);
        add(MergeRequests.FETCH_ADD, 1000, 8);
        add(MergeRequests.WRITE, 8, 8);
        add(MergeRequests.COMPARE_SWAP, 1000, 8);
        add(MergeRequests.READ, 16, 8);
        assertThat(planned()).isEqualTo("W0 F1 W2 C3 R4");
    }

    @Test
    void leavesAloneWhatIsNotToBeJoined() {
        add(MergeRequests.WRITE, 0, 8);
        add(MergeRequests.WRITE, 8, 8);
        requests.keepAlone(1);
        add(MergeRequests.WRITE, 16, 8);
        add(MergeRequests.WRITE, 24, 0);
        assertThat(planned()).isEqualTo("W0 W1 W2 W3");
    }

    @Test
    void withoutMergingEachLeavesAsItCame() {
        add(MergeRequests.WRITE, 8, 8);
        add(MergeRequests.WRITE, 0, 8);
        add(MergeRequests.READ, 16, 8);
        assertThat(text(plan(false), requests)).isEqualTo("W0 W1 R2");
    }

    /** Any operations: each is in one run, runs are adjacent and within limits, and what conflicts keeps its order. */
    @Test
    void holdsItsRulesForAnyOperations() {
        Random random = new Random(3);
        for (int round = 0; round < 20_000; round++) {
            count = 0;
            int operations = 1 + random.nextInt(MergeSettings.BATCH);
            int places = 1 + random.nextInt(100);
            int atomicsIn = 1 + random.nextInt(200);
            for (int i = 0; i < operations; i++) {
                if (random.nextInt(atomicsIn) == 0) {
                    add(MergeRequests.FETCH_ADD, 8L * random.nextInt(places), 8);
                } else {
                    byte kind = random.nextBoolean() ? MergeRequests.READ : MergeRequests.WRITE;
                    add(kind, 8L * random.nextInt(places), random.nextInt(3) * 8);
                }
            }
            check(plan(true));
        }
    }

    private void check(MergePlan plan) {
        int[] postedAt = new int[count];
        boolean[] seen = new boolean[count];
        int all = 0;
        for (int run = 0; run < plan.runs(); run++) {
            long next = requests.offsets[plan.ticket(run, 0)];
            long begin = next;
            for (int i = 0; i < plan.size(run); i++) {
                int ticket = plan.ticket(run, i);
                assertThat(seen[ticket]).isFalse();
                seen[ticket] = true;
                all++;
                postedAt[ticket] = run;
                assertThat(requests.kinds[ticket]).isEqualTo(requests.kinds[plan.ticket(run, 0)]);
                assertThat(requests.offsets[ticket]).isEqualTo(next);
                next += requests.lengths[ticket];
            }
            assertThat(plan.length(run)).isEqualTo((int) (next - begin));
        }
        assertThat(all).isEqualTo(count);
        assertThat(postedAt[0]).as("the oldest leaves first").isZero();
        for (int a = 0; a < count; a++) {
            for (int b = a + 1; b < count; b++) {
                if (conflict(a, b)) {
                    assertThat(postedAt[a]).as(a + " before " + b).isLessThan(postedAt[b]);
                }
            }
        }
    }

    private boolean conflict(int a, int b) {
        boolean atomic = requests.kinds[a] > MergeRequests.WRITE || requests.kinds[b] > MergeRequests.WRITE;
        boolean bothRead = requests.kinds[a] == MergeRequests.READ && requests.kinds[b] == MergeRequests.READ;
        boolean overlap = requests.offsets[a] < requests.offsets[b] + requests.lengths[b]
                && requests.offsets[b] < requests.offsets[a] + requests.lengths[a];
        return atomic || (overlap && !bothRead);
    }
}
