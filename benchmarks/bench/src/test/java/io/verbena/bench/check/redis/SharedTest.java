package io.verbena.bench.check.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What connections share: counters, queues and sets. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SharedTest {
    private final SharedCounter counter = new SharedCounter("counter");
    private final SharedBag queue = new SharedBag("queue", true);
    private final SharedBag set = new SharedBag("set", false);

    @Test
    void incrementsAtTheSameTimeComeInAnyOrder() {
        Expected one = counter.begin().apply();
        Expected other = counter.begin().apply();
        assertThat(one.matches(integer(2))).isTrue();
        assertThat(other.matches(integer(1))).isTrue();
        assertThat(counter.last().matches(bulk("2"))).isTrue();
        assertThat(counter.last().matches(bulk("1"))).isFalse();
        assertThat(counter.last().matches(bulk("3"))).isFalse();
    }

    @Test
    void noValueOfACounterComesTwice() {
        Expected one = counter.begin().apply();
        Expected other = counter.begin().apply();
        assertThat(one.matches(integer(1))).isTrue();
        assertThat(other.matches(integer(1))).isFalse();
    }

    @Test
    void aLaterIncrementHasTheLargerValue() {
        Expected early = counter.begin().apply();
        Expected other = counter.begin().apply();
        assertThat(other.matches(integer(2))).isTrue();
        Expected late = counter.begin().apply();
        assertThat(late.matches(integer(1))).isFalse();
        assertThat(early.matches(integer(1))).isTrue();
    }

    @Test
    void aCounterDoesNotRunAhead() {
        assertThat(counter.begin().apply().matches(integer(2))).isFalse();
    }

    @Test
    void anIncrementInDoubtMayCount() {
        counter.begin().lost();
        assertThat(counter.last().matches(Reply.nil())).isTrue();
        assertThat(counter.last().matches(bulk("1"))).isTrue();
        assertThat(counter.last().matches(bulk("2"))).isFalse();
    }

    @Test
    void anElementIsTakenOnce() {
        put(set, "p1", 1);
        Expected one = take(set);
        Expected other = take(set);
        assertThat(one.matches(bulk("p1#1"))).isTrue();
        assertThat(other.matches(bulk("p1#1"))).isFalse();
    }

    @Test
    void nothingIsTakenThatNobodyPut() {
        assertThat(take(set).matches(bulk("p1#1"))).isFalse();
    }

    @Test
    void aQueueKeepsTheOrderOfAProducer() {
        put(queue, "p1", 1);
        put(queue, "p1", 2);
        Expected early = take(queue);
        assertThat(take(queue).matches(bulk("p1#2"))).isTrue();
        Expected late = take(queue);
        assertThat(late.matches(bulk("p1#1"))).isFalse();
        assertThat(early).isNotNull();
    }

    @Test
    void takingsAtTheSameTimeMayOvertake() {
        put(queue, "p1", 1);
        put(queue, "p1", 2);
        Expected one = take(queue);
        Expected other = take(queue);
        assertThat(other.matches(bulk("p1#2"))).isTrue();
        assertThat(one.matches(bulk("p1#1"))).isTrue();
    }

    @Test
    void whatWasPutIsTakenOrLeft() {
        put(queue, "p1", 1);
        put(queue, "p2", 1);
        assertThat(take(queue).matches(bulk("p1#1"))).isTrue();
        assertThat(queue.last().matches(array("p2#1"))).isTrue();
        assertThat(queue.last().matches(array())).isFalse();
        assertThat(queue.last().matches(array("p1#1", "p2#1"))).isFalse();
        assertThat(queue.last().matches(array("p2#1", "p2#1"))).isFalse();
    }

    private static void put(SharedBag bag, String producer, long number) {
        Batch batch = new Batch();
        bag.addPut(batch, producer, number);
        batch.requests().get(0).outcome().apply();
    }

    private static Expected take(SharedBag bag) {
        Batch batch = new Batch();
        bag.addTake(batch);
        return batch.requests().get(0).outcome().apply();
    }

    private static Reply integer(long value) {
        return Reply.of(Reply.INTEGER, Long.toString(value).getBytes(StandardCharsets.US_ASCII));
    }

    private static Reply bulk(String text) {
        return Reply.of(Reply.BULK, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Reply array(String... texts) {
        List<Reply> items = new ArrayList<>();
        Arrays.stream(texts).forEach(each -> items.add(bulk(each)));
        return Reply.array(items);
    }
}
