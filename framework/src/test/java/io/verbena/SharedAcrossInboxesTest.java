package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels that share a queue pair and lead to several inboxes, or are answered in several. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SharedAcrossInboxesTest {
    private static final UnsafeBuffer EIGHT = new UnsafeBuffer(new byte[8]);

    private final List<Integer> numbers = new ArrayList<>();
    private final List<Channel> senders = new ArrayList<>();

    private static NodePair pair(Fabric fabric) {
        NodeContext client = fabric.context(NodeMode.ASSISTED);
        client.shareConnections(new MuxOptions().after(0).queuePairs(1)).linger(NodePair.TIMEOUT);
        return new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client);
    }

    private static List<Channel> connect(NodePair pair, String inbox, int count) {
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            channels.add(pair.client.connect(pair.address + inbox, NodePair.TIMEOUT));
        }
        return channels;
    }

    private static Set<Integer> queuePairs(List<Channel> channels) {
        return channels.stream().map(Channel::queuePairNumber).collect(Collectors.toSet());
    }

    private static void send(NodePair pair, Channel channel, int number) {
        pair.await(() -> channel.offer(EIGHT, 0, 8, number) == SendResult.SENT);
    }

    /** Takes what has come, until so many messages are there in all. */
    private void take(NodePair pair, Inbox inbox, int count) {
        pair.await(() -> {
            inbox.poll(
                    message -> {
                        senders.add(message.channel());
                        numbers.add(message.immediate());
                    },
                    100);
            return numbers.size() >= count;
        });
    }

    /** Whatever inbox of the peer they lead to, they share; those of another tenant there share among themselves. */
    @ParameterizedTest
    @EnumSource
    void thoseToSeveralInboxesShare(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            List<Inbox> inboxes = new ArrayList<>();
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                inboxes.add(pair.server.openInbox("in" + i));
                channels.addAll(connect(pair, "in" + i, 2));
            }
            assertThat(queuePairs(channels)).hasSize(1);
            Tenant other = pair.server.tenants().add(new TenantOptions().name("other"));
            inboxes.add(other.openInbox("in4", new InboxOptions()));
            List<Channel> apart = connect(pair, "in4", 4);
            assertThat(apart.get(0).isShared()).isFalse(); // the peer had to say so first
            assertThat(apart.subList(1, 4)).allMatch(Channel::isShared);
            assertThat(queuePairs(apart)).hasSize(2).doesNotContainAnyElementsOf(queuePairs(channels));
            channels.addAll(apart);
            channels.addAll(connect(pair, "in0", 1));
            assertThat(channels.get(12).queuePairNumber())
                    .isEqualTo(channels.get(0).queuePairNumber());
            for (int i = 0; i < channels.size(); i++) {
                send(pair, channels.get(i), i);
            }
            for (int i = 0, taken = 0; i < 5; i++) {
                taken += i == 0 ? 3 : i == 4 ? 4 : 2;
                take(pair, inboxes.get(i), taken);
            }
            assertThat(numbers).containsExactlyInAnyOrder(0, 1, 12, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
            assertThat(senders).doesNotHaveDuplicates().doesNotContainNull();
        }
    }

    /** An inbox for answers is closed: the peer's next answer there ends that channel, and those to others go on. */
    @ParameterizedTest
    @EnumSource
    void aClosedInboxForAnswersEndsItsOwn(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            Inbox inbox = pair.server.openInbox("in");
            List<Inbox> answers = new ArrayList<>();
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                answers.add(pair.client.openInbox("answers" + i));
                channels.add(pair.client.connect(pair.address + "in", answers.get(i), NodePair.TIMEOUT));
                send(pair, channels.get(i), i);
            }
            assertThat(queuePairs(channels)).hasSize(1);
            take(pair, inbox, 3);
            List<Channel> back = List.copyOf(senders);
            answers.get(1).close();
            pair.await(() -> back.get(1).offer(EIGHT, 0, 8, 7) == SendResult.CLOSED);
            pair.await(channels.get(1)::isOver);
            assertThat(back.get(1).closeReason()).isEqualTo(CloseReason.REFUSED);
            assertThat(channels.get(1).closeReason()).isEqualTo(CloseReason.PROTOCOL_ERROR);
            for (int round = 0; round < 3; round++) {
                send(pair, back.get(0), 10);
                send(pair, back.get(2), 12);
                take(pair, answers.get(0), 4 + 2 * round);
                take(pair, answers.get(2), 5 + 2 * round);
                send(pair, channels.get(0), 20);
                send(pair, channels.get(2), 22);
                pair.await(() -> inbox.poll(m -> {}, 10) > 0);
            }
            assertThat(numbers.subList(3, 9)).containsExactly(10, 12, 10, 12, 10, 12);
        }
    }
}
