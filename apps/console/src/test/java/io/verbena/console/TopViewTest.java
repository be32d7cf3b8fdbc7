package io.verbena.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class TopViewTest {
    private static final long SECOND = 1_000_000_000;

    private static TenantState state(String name, int weight, long charged, long messages) {
        return new TenantState(
                name,
                weight,
                charged,
                charged,
                0,
                messages,
                charged == 0 ? 0 : SECOND,
                1000,
                5000,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                null,
                null);
    }

    @Test
    void sharesAreOfTheIntervalAndEntitlementsOfThoseThatSend() {
        List<TenantState> before =
                List.of(state("web", 1, 1_000_000, 10), state("batch", 3, 1_000_000, 10), state("idle", 4, 0, 0));
        List<TenantState> now =
                List.of(state("web", 1, 3_000_000, 30), state("batch", 3, 9_000_000, 20), state("idle", 4, 0, 0));

        List<String> lines = TopView.lines(before, now, SECOND);

        assertThat(lines.get(1)).contains("1 web").containsPattern("25.00 % +20.00 % ####\\.\\|\\.+ +2\\.0 +20 ");
        assertThat(lines.get(2)).contains("2 batch").containsPattern("75.00 % +80.00 % #{15}\\|\\.{4} +8\\.0 +10 ");
        assertThat(lines.get(3)).contains("3 idle").containsPattern("4 +- +- \\.{20} +0\\.0 +0 ");
        assertThat(lines).last().asString().isEqualTo("Jain's index 0.9800 over 2 that send");
    }

    @Test
    void entitlementsAreThoseOfTheNodesBooksIfItKeepsThem() {
        TenantState web = new TenantState(
                "web",
                1,
                600,
                600,
                500,
                6,
                SECOND,
                1000,
                5000,
                3,
                0,
                30,
                10,
                0,
                2,
                1_500_000,
                700,
                "COMPLETIONS",
                null);
        TenantState batch = new TenantState(
                "batch", 9, 400, 400, 500, 4, SECOND / 2, 1000, 5000, 0, 0, 0, 0, 0, 0, 0, 0, null, null);

        List<String> lines = TopView.lines(List.of(), List.of(web, batch), SECOND);

        assertThat(lines.get(1))
                .containsPattern("50.00 % +60.00 %")
                .containsPattern(" 6 +1,500,000 completions +700 +100 %")
                .containsPattern(" link 75 % +3 +2$");
        assertThat(lines.get(2))
                .containsPattern("50.00 % +40.00 %")
                .containsPattern(" 4 +- - +- +50 % +1.0 +5.0 +sender +0 +0$");
    }

    @Test
    void aTenantThatIsNewBeganWithNothing() {
        List<String> lines = TopView.lines(List.of(), List.of(state("new", 2, 500, 5)), SECOND);

        assertThat(lines.get(1)).containsPattern("100.00 % +100.00 %").contains(" 5 ");
    }

    private static TenantState merging(String name, MergingState state) {
        return new TenantState(name, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, state);
    }

    @Test
    void thoseWhoseOperationsMergeHaveATableOfTheirOwn() {
        List<TenantState> before = List.of(
                merging("idle", new MergingState(900, 90, 9, 1, 0, 7_000_000)),
                merging("pages", new MergingState(1000, 100, 10, 1, 0, 7_000_000)),
                merging("none", null));
        List<TenantState> now = List.of(
                merging("idle", new MergingState(900, 90, 9, 1, 0, 7_000_000)),
                merging("pages", new MergingState(5000, 1100, 210, 41, 6_900_000, 7_000_000)),
                merging("none", null),
                merging("new", new MergingState(2, 2, 0, 0, 0, Long.MAX_VALUE)));

        List<String> lines = TopView.lines(before, now, 2 * SECOND);

        assertThat(lines).hasSize(11);
        assertThat(lines.get(6)).containsPattern("# merging regions +operations/s +merged +waited +refused/s");
        assertThat(lines.get(7)).matches(" +2 pages +2,000 +25 % +5 % +20 +6\\.900 +7\\.000");
        assertThat(lines.get(8)).matches(" +4 new +1 +100 % +0 % +0 +0\\.000 +-");
    }

    @Test
    void whereNobodySendsItSaysSo() {
        List<TenantState> idle = List.of(state("a-name-that-is-longer-than-the-column", 1, 7, 7));

        List<String> lines = TopView.lines(idle, idle, SECOND);

        assertThat(lines).last().isEqualTo("nobody sends");
        assertThat(lines.get(1)).contains("a-name-that-is-~");
    }
}
