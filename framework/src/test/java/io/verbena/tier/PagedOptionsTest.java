package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.ConnectionException;
import io.verbena.Merging;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What options refuse, by value and limit. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PagedOptionsTest {
    private static Arguments bad(String message, Consumer<PagedOptions> change) {
        return Arguments.of(message, change);
    }

    private static PagedOptions options(long size) {
        return new PagedOptions("pages", size).peer("local:nowhere");
    }

    static Arguments[] badValues() {
        return new Arguments[] {
            bad("resident 0 < minimum 1", o -> o.resident(0)),
            bad("resident 4096 outside 65536..4398046511104", o -> o.resident(4096)),
            bad("pageLength 256 outside 512..1048576", o -> o.pageLength(256)),
            bad("pageLength 5000 is not a power of two; next is 8192", o -> o.pageLength(5000)),
            bad("blockLength 2048 outside 4096..67108864", o -> o.blockLength(2048)),
            bad("blockLength 5000 is not a power of two; next is 8192", o -> o.blockLength(5000)),
            bad("pages per block 256 outside 1..64", o -> o.pageLength(512)),
            bad("pages per block 0 outside 1..64", o -> o.blockLength(4096).pageLength(8192)),
            bad("replicas 0 outside 1..2", o -> o.replicas(0)),
            bad("replicas 3 outside 1..2", o -> o.replicas(3)),
            bad("number of peers 1 outside 2..64", o -> o.replicas(2)),
            bad("peer local:nowhere is named twice", o -> o.peer("local:nowhere")),
            bad("donor local:a is named twice", o -> o.donor("local:a").donor("local:a")),
            bad("timeout PT0S < minimum PT0.001S", o -> o.timeout(Duration.ZERO)),
            bad("queuePairs 65 outside 1..64", o -> o.queuePairs(65)),
            bad("merge OFF is for one thread", o -> o.merge(Merging.OFF)),
            bad("window 0 < minimum 1", o -> o.window(0)),
        };
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void badValuesAreNamedWithTheirLimits(String message, Consumer<PagedOptions> change) {
        PagedOptions options = options(1 << 20);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> {
                    change.accept(options);
                    options.conclude();
                })
                .withMessageStartingWith(message);
    }

    @Test
    void sizesAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PagedOptions("pages", 0))
                .withMessage("size 0 < minimum 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(5000).conclude())
                .withMessage("size 5000 is not a multiple of pageLength 4096");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(1L << 50).conclude())
                .withMessage("size 1125899906842624 outside 4096..140737488355328");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PagedOptions("pages", 4096).conclude())
                .withMessage("number of peers 0 outside 1..64");
        PagedOptions small = options(4096);
        small.conclude();
        assertThat(small.frames(4096)).isEqualTo(16);
    }

    /** As many blocks as can be on that many peers each. */
    @Test
    void withoutASizeTheMemoryIsAsLongAsWhatPeersShare() {
        PagedOptions one =
                new PagedOptions("pages").peer("local:a").peer("local:b").peer("local:c");
        one.conclude();
        assertThat(one.size(one.capacity(List.of(3L, 1L, 0L)))).isEqualTo(4 * PagedOptions.DEFAULT_BLOCK_LENGTH);
        PagedOptions two = one.replicas(2);
        assertThat(two.size(two.capacity(List.of(3L, 1L, 1L)))).isEqualTo(2 * PagedOptions.DEFAULT_BLOCK_LENGTH);
        assertThat(two.size(two.capacity(List.of(2L, 2L, 3L)))).isEqualTo(3 * PagedOptions.DEFAULT_BLOCK_LENGTH);
        assertThatIllegalStateException()
                .isThrownBy(() -> two.size(two.capacity(List.of(3L, 0L, 0L))))
                .withMessage("what the peers share as 'pages' has no room for 2 replicas of a block of 131072 bytes");
        PagedOptions lent = new PagedOptions().donor("local:a");
        lent.conclude();
        assertThatIllegalStateException()
                .isThrownBy(() -> lent.size(lent.capacity(List.of(0L))))
                .withMessage("what the donors lend has no room for 1 replicas of a block of 131072 bytes");
        PagedOptions known = new PagedOptions(4096).donor("local:a");
        assertThat(known.size(known.capacity(List.of(3L)))).isEqualTo(4096);
    }

    @Test
    void whatCannotBeOpenedLeavesNothing() {
        try (Node node = Node.launch(new NodeContext());
                Node invoker = Node.launch(new NodeContext().mode(NodeMode.INVOKER));
                Peers peers = new Peers(Peers.Way.LOCAL).add(1 << 20)) {
            assertThatThrownBy(() -> PagedMemory.open(node, options(1 << 20), Duration.ofSeconds(1)))
                    .isInstanceOf(ConnectionException.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PagedMemory.open(invoker, peers.options(1 << 20), Peers.LONG))
                    .withMessageContaining("INVOKER");
            assertThatThrownBy(() -> peers.open(node, peers.options(1 << 20).spill(Path.of("/nowhere/at/all"))))
                    .hasMessageContaining("spill file /nowhere/at/all cannot be opened");
            Peers.await(() -> node.tenant("default").connections() == 0);
        }
    }
}
