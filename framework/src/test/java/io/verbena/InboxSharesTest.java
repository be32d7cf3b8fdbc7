package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose messages are taken, in time that the test makes: each poll takes 100 microseconds. */
@Timeout(180)
class InboxSharesTest {
    private static final int LIMIT = 64;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[16]);
    private final List<Inbox> inboxes = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final List<TurnShares.Party> parties = new ArrayList<>();
    private final AtomicIntegerArray servers = new AtomicIntegerArray(3);
    private Node node;
    private long now;
    private int[] taken = new int[3];

    @BeforeEach
    void launch() {
        node = Node.launch(new NodeContext().name("inbox-shares").mode(NodeMode.INVOKER));
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** An inbox that a flood fills, and who sends to it. */
    private void inbox(double weight, double minimum) {
        int number = inboxes.size();
        inboxes.add(node.openInbox("in-" + number, new InboxOptions()));
        channels.add(node.connect("local:inbox-shares/in-" + number, NodePair.TIMEOUT));
        parties.add(new TurnShares.Party(weight, 1, minimum));
    }

    private InboxShares shares() {
        return new InboxShares(inboxes, parties, servers, () -> now);
    }

    private void send(int inbox, int count) {
        for (int i = 0; i < count; i++) {
            message.putInt(0, inbox);
            while (channels.get(inbox).offer(message, 0, 16) == SendResult.BACK_PRESSURED) {
                node.doWork();
            }
        }
        node.doWork();
    }

    private void poll(InboxShares shares) {
        now += TimeUnit.MICROSECONDS.toNanos(100);
        shares.poll(each -> taken[each.buffer().getInt(each.offset())]++, LIMIT);
    }

    /** Floods go on: what was taken comes again. */
    private void flood(InboxShares shares, int polls) {
        for (int i = 0; i < polls; i++) {
            int[] before = taken.clone();
            poll(shares);
            for (int inbox = 0; inbox < inboxes.size(); inbox++) {
                send(inbox, taken[inbox] - before[inbox]);
            }
        }
    }

    @Test
    void floodsGetTheirWeightsParts() {
        inbox(3, 0);
        inbox(1, 0);
        send(0, 500);
        send(1, 500);
        InboxShares shares = shares();
        flood(shares, 1000);
        assertThat(taken[0] + taken[1]).isEqualTo(1000 * LIMIT);
        assertThat((double) taken[0] / (1000 * LIMIT)).isCloseTo(0.75, within(0.005));
        assertThat(shares.isContended()).isTrue();
        assertThat(servers.get(0)).isOne();
        shares.end();
        assertThat(servers.get(0)).isZero();
    }

    /** 64 messages in 100 us: 640,000 a second, of which a thousandth would be by weight. */
    @Test
    void aMinimumHoldsBesideAHeavyFlood() {
        inbox(1000, 0);
        inbox(1, 160_000);
        send(0, 500);
        send(1, 500);
        InboxShares shares = shares();
        flood(shares, 500); // what can be taken is measured
        taken = new int[3];
        flood(shares, 1000);
        assertThat((double) taken[1] / (taken[0] + taken[1])).isCloseTo(0.25, within(0.01));
        assertThat((double) shares.rate(1)).isCloseTo(160_000, within(1.0));
    }

    @Test
    void oneAloneIsNotHeldUp() {
        inbox(1, 0);
        inbox(1000, 0);
        send(0, 1000);
        InboxShares shares = shares();
        poll(shares);
        assertThat(taken[0]).isEqualTo(LIMIT);
        assertThat(shares.isContended()).isFalse();
        assertThat(shares.isEmpty()).isFalse();
        for (int i = 0; i < 20; i++) {
            poll(shares);
        }
        assertThat(taken[0]).isEqualTo(1000);
        assertThat(shares.isEmpty()).isTrue();
    }

    /** Whoever sends one message at a time waits for a slice of a flood, and the flood has all the rest. */
    @Test
    void whoComesWithOneMessageWaitsForASlice() {
        inbox(1, 0);
        inbox(1, 0);
        send(0, 500);
        InboxShares shares = shares();
        for (int i = 0; i < 300; i++) {
            send(1, 1);
            int[] before = taken.clone();
            now += TimeUnit.MICROSECONDS.toNanos(100);
            int[] ahead = new int[1];
            shares.poll(
                    each -> {
                        int inbox = each.buffer().getInt(each.offset());
                        taken[inbox]++;
                        if (inbox == 1) {
                            ahead[0] = taken[0] - before[0];
                        }
                    },
                    LIMIT);
            assertThat(taken[1] - before[1]).as("poll %s", i).isOne();
            assertThat(ahead[0]).as("poll %s", i).isLessThanOrEqualTo(InboxShares.SLICE);
            assertThat(taken[0] - before[0]).as("poll %s", i).isEqualTo(LIMIT - 1);
            send(0, taken[0] - before[0]);
        }
    }

    /** Nor does one that comes now and then, beside two floods that go on: its part is there when it comes. */
    @Test
    void whoComesNowAndThenWaitsForASliceOfEachFlood() {
        inbox(1, 0);
        inbox(1, 0);
        inbox(1, 0);
        send(0, 500);
        send(1, 500);
        InboxShares shares = shares();
        for (int i = 0; i < 20; i++) {
            flood(shares, 250); // 25 ms
            send(2, 1);
            now += TimeUnit.MICROSECONDS.toNanos(100);
            int[] before = taken.clone();
            int[] ahead = {Integer.MAX_VALUE};
            shares.poll(
                    each -> {
                        int inbox = each.buffer().getInt(each.offset());
                        taken[inbox]++;
                        if (inbox == 2) {
                            ahead[0] = taken[0] + taken[1] - before[0] - before[1];
                        }
                    },
                    LIMIT);
            assertThat(ahead[0]).as("time %s", i).isLessThanOrEqualTo(2 * InboxShares.SLICE);
            send(0, taken[0] - before[0]);
            send(1, taken[1] - before[1]);
        }
    }

    /** Between two slices of a flood there is one of whoever else has messages; alone, slices are longer. */
    @Test
    void aSliceIsOfOneInbox() {
        inbox(1, 0);
        inbox(1, 0);
        send(0, 100);
        InboxShares shares = shares();
        assertThat(slice(shares)).containsExactly(32, 0, 0);
        send(1, 3);
        assertThat(slice(shares)).containsExactly(0, 3, 0);
        assertThat(slice(shares)).containsExactly(InboxShares.SLICE, 0, 0);
        assertThat(shares.isEmpty(0)).isFalse();
        assertThat(shares.isEmpty(1)).isTrue();
        send(1, 1);
        assertThat(slice(shares)).containsExactly(0, 1, 0);
    }

    /** A slice goes to who has messages, though all have used up their parts. */
    @Test
    void slicesKeepTheWeights() {
        inbox(3, 0);
        inbox(1, 0);
        send(0, 500);
        send(1, 500);
        InboxShares shares = shares();
        for (int i = 0; i < 8000; i++) {
            int[] of = slice(shares);
            assertThat(of[0] + of[1]).isPositive();
            send(0, of[0]);
            send(1, of[1]);
        }
        assertThat((double) taken[0] / (taken[0] + taken[1])).isCloseTo(0.75, within(0.005));
    }

    private int[] slice(InboxShares shares) {
        int[] of = taken.clone();
        now += TimeUnit.MICROSECONDS.toNanos(10);
        shares.pollSlice(each -> taken[each.buffer().getInt(each.offset())]++);
        for (int i = 0; i < of.length; i++) {
            of[i] = taken[i] - of[i];
        }
        return of;
    }

    /** A message that its handler charges for is many. */
    @Test
    void chargesAreRepaid() {
        inbox(1, 0);
        inbox(1, 0);
        send(0, 500);
        send(1, 500);
        InboxShares shares = shares();
        for (int i = 0; i < 2000; i++) {
            int[] before = taken.clone();
            now += TimeUnit.MICROSECONDS.toNanos(100);
            shares.poll(
                    each -> {
                        int inbox = each.buffer().getInt(each.offset());
                        taken[inbox]++;
                        if (inbox == 1) {
                            shares.charge(9);
                        }
                    },
                    LIMIT);
            send(0, taken[0] - before[0]);
            send(1, taken[1] - before[1]);
        }
        assertThat((double) taken[0] / taken[1]).isCloseTo(10, within(0.2));
    }

    /** Whoever comes in the middle of a poll is not made to wait for the next one. */
    @Test
    void whoIsNewMayGoOnAtOnce() {
        inbox(1, 0);
        inbox(1, 0);
        inbox(1, 0);
        send(0, 500);
        send(1, 500);
        InboxShares shares = shares();
        flood(shares, 10);
        boolean[] sent = new boolean[1];
        now += TimeUnit.MICROSECONDS.toNanos(100);
        shares.poll(
                each -> {
                    taken[each.buffer().getInt(each.offset())]++;
                    if (!sent[0]) {
                        sent[0] = true;
                        message.putInt(0, 2);
                        assertThat(channels.get(2).offer(message, 0, 16)).isEqualTo(SendResult.SENT);
                    }
                },
                LIMIT);
        assertThat(taken[2]).isOne();
    }

    @Test
    void refusesWhatDoesNotFit() {
        inbox(1, 0);
        inbox(1, 0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InboxShares(inboxes, parties.subList(0, 1), servers, () -> now))
                .withMessage("1 parties for 2 inboxes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InboxShares(
                        inboxes, List.of(parties.get(0), new TurnShares.Party(0, 1, 0)), servers, () -> now))
                .withMessageContaining("weight 0.0");
    }

    /** A tenant without a utility has its weight. */
    @Test
    void partiesAreWhatTenantsSay() {
        assertThat(TurnShares.Party.of(new TenantOptions().weight(7))).isEqualTo(new TurnShares.Party(7, 1, 0));
        assertThat(TurnShares.Party.of(
                        new TenantOptions().weight(7).utility(2, 0.5).minimumRate(10)))
                .isEqualTo(new TurnShares.Party(2, 0.5, 10));
    }
}
