package io.verbena.bench.check.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.check.redis.RegisterHistory.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Histories of registers, small ones by hand and many compared with a search of all orders. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RegisterHistoryTest {
    private final RegisterHistory history = new RegisterHistory();

    @Test
    void oneAfterTheOther() {
        write("a", 0, 1);
        read("a", 2, 3);
        exchange("a", "b", 4, 5);
        read("b", 6, 7);
        assertThat(history.violation()).isNull();
    }

    @Test
    void aReadMayNotGoBack() {
        write("a", 0, 1);
        write("b", 2, 3);
        read("a", 4, 5);
        assertThat(history.violation()).contains("before the other");
    }

    @Test
    void readsOfOneWriteUnderWayMayNotSeeItComeAndGo() {
        write("a", 0, 1);
        write("b", 2, 9);
        read("b", 3, 4);
        read("a", 5, 6);
        assertThat(history.violation()).isNotNull();
    }

    @Test
    void nothingIsReadBeforeItIsWritten() {
        read("a", 0, 1);
        write("a", 2, 3);
        assertThat(history.violation()).contains("before");
    }

    @Test
    void theInitialValueDoesNotComeBack() {
        write("a", 0, 1);
        read(null, 2, 3);
        assertThat(history.violation()).isNotNull();
    }

    @Test
    void aValueThatNobodyWroteIsNamed() {
        read("x", 0, 1);
        assertThat(history.violation()).contains("nobody wrote");
    }

    @Test
    void twoExchangesCannotTakeTheSame() {
        write("a", 0, 1);
        exchange("a", "b", 2, 9);
        exchange("a", "c", 2, 9);
        assertThat(history.violation()).contains("two exchanges");
    }

    @Test
    void anExchangeStandsBehindTheReadsOfItsValue() {
        write("a", 0, 1);
        exchange("a", "b", 2, 3);
        read("a", 4, 5);
        assertThat(history.violation()).isNotNull();
    }

    @Test
    void aWriteInDoubtMayHaveHappenedOrNot() {
        write("a", 0, 1);
        history.add(new Operation("x", 2, "b"));
        read("a", 10, 11);
        assertThat(history.violation()).isNull();
        read("b", 12, 13);
        assertThat(history.violation()).isNull();
        read("a", 14, 15);
        assertThat(history.violation()).isNotNull();
    }

    @Test
    void agreesWithASearchOfAllOrders() {
        SplittableRandom random = new SplittableRandom(5);
        int legal = 0;
        for (int i = 0; i < 20_000; i++) {
            List<int[]> operations = new ArrayList<>();
            RegisterHistory made = random(random, operations);
            boolean explained = explains(operations, 0, 0);
            legal += explained ? 1 : 0;
            assertThat(made.violation() == null).as("history %d", i).isEqualTo(explained);
        }
        assertThat(legal).isBetween(1000, 19_000);
    }

    /** Operations as begin, end, what is written (0 none), what is read (-1 nothing, 0 the initial value). */
    private static RegisterHistory random(SplittableRandom random, List<int[]> operations) {
        RegisterHistory made = new RegisterHistory();
        int count = 2 + random.nextInt(4);
        int writes = 1 + random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int begin = random.nextInt(20);
            int end = begin + 1 + random.nextInt(12);
            int written = i < writes ? i + 1 : 0;
            int read = written == 0 || random.nextInt(3) == 0 ? random.nextInt(writes + 1) : -1;
            if (read == written) {
                read = 0;
            }
            boolean doubt = written > 0 && read < 0 && random.nextInt(6) == 0;
            operations.add(new int[] {begin, doubt ? Integer.MAX_VALUE : end, written, read});
            Operation operation = new Operation("c" + i, begin, written == 0 ? null : "v" + written);
            if (!doubt) {
                operation.end(end, read >= 0, read > 0 ? "v" + read : null);
            }
            made.add(operation);
        }
        return made;
    }

    private static boolean explains(List<int[]> operations, int done, int value) {
        int all = (1 << operations.size()) - 1;
        boolean onlyDoubts = true;
        int firstEnd = Integer.MAX_VALUE;
        for (int i = 0; i < operations.size(); i++) {
            if ((done & 1 << i) == 0) {
                onlyDoubts &= operations.get(i)[1] == Integer.MAX_VALUE;
                firstEnd = Math.min(firstEnd, operations.get(i)[1]);
            }
        }
        if (done == all || onlyDoubts) {
            return true;
        }
        for (int i = 0; i < operations.size(); i++) {
            int[] each = operations.get(i);
            if ((done & 1 << i) == 0
                    && each[0] <= firstEnd
                    && (each[3] < 0 || each[3] == value)
                    && explains(operations, done | 1 << i, each[2] == 0 ? value : each[2])) {
                return true;
            }
        }
        return false;
    }

    private void write(String value, long begin, long end) {
        Operation operation = new Operation("w", begin, value);
        operation.end(end, false, null);
        history.add(operation);
    }

    private void read(String value, long begin, long end) {
        Operation operation = new Operation("r", begin, null);
        operation.end(end, true, value);
        history.add(operation);
    }

    private void exchange(String read, String written, long begin, long end) {
        Operation operation = new Operation("x", begin, written);
        operation.end(end, true, read);
        history.add(operation);
    }
}
