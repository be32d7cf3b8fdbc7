package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.Channel;
import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Requester;
import io.verbena.Tenants;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that a node lends: to one paged memory at a time, in several regions, and fresh each time. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DonationTest {
    private static final int REGION = 1 << 20;
    private static final long BYTES = 3 * REGION + REGION / 2;
    private static final int SIZE = 3 * REGION;

    private final Node donor = Node.launch(new NodeContext().mode(NodeMode.THREAD));
    private final Node borrower = Node.launch(new NodeContext().mode(NodeMode.THREAD));
    private String address = "";
    private Donation donation = Donation.offer(donor, Tenants.DEFAULT, BYTES, REGION);

    @BeforeEach
    void donate() {
        address = donor.listen("tcp://127.0.0.1:0");
    }

    @AfterEach
    void close() {
        donation.close();
        borrower.close();
        donor.close();
    }

    private PagedMemory borrow(Duration limit) {
        return PagedMemory.open(
                borrower,
                new PagedOptions(SIZE)
                        .donor(address)
                        .resident(64 << 10)
                        .timeout(Peers.LONG)
                        .queuePairs(1),
                limit);
    }

    @Test
    void regionsAreOneMemory() {
        try (PagedMemory memory = borrow(Peers.LONG)) {
            assertThat(memory.statistics().peers().get(0).capacity()).isEqualTo(BYTES);
            UnsafeBuffer model = new UnsafeBuffer(new byte[SIZE]);
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < SIZE; i += Long.BYTES) {
                model.putLong(i, random.nextLong());
            }
            memory.write(0, model, 0, SIZE);
            memory.flush(Peers.LONG);
            UnsafeBuffer read = new UnsafeBuffer(new byte[SIZE]);
            memory.read(0, read, 0, SIZE);
            assertThat(read.byteArray()).isEqualTo(model.byteArray());
            assertThat(memory.statistics().remoteBytes()).isEqualTo(SIZE);
            assertThat(donation.statistics().borrower()).isEqualTo(borrower.name());
        }
    }

    @Test
    void withoutASizeAllOfItIsBorrowed() {
        PagedOptions options = new PagedOptions().donor(address).timeout(Peers.LONG);
        try (PagedMemory memory = PagedMemory.open(borrower, options, Peers.LONG)) {
            assertThat(memory.size()).isEqualTo(BYTES).isEqualTo(memory.capacity());
        }
    }

    @Test
    void nobodyElseHasItMeanwhile() {
        try (PagedMemory memory = borrow(Peers.LONG)) {
            memory.write(0, new UnsafeBuffer(new byte[10]), 0, 10);
            assertThatThrownBy(() -> borrow(Duration.ofSeconds(3)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("donor " + address + " lends nothing within 3000 ms: node '" + borrower.name()
                            + "' has its memory");
            assertThat(donation.statistics().loans()).isEqualTo(1);
            assertThat(donation.statistics().refusals()).isPositive();
        }
    }

    @Test
    void theNextOneGetsItOnceItIsFreeAndSeesNothing() {
        UnsafeBuffer secret = new UnsafeBuffer("a secret".getBytes(StandardCharsets.US_ASCII));
        try (PagedMemory memory = borrow(Peers.LONG)) {
            memory.write(0, secret, 0, secret.capacity());
            memory.flush(Peers.LONG);
        }
        try (Leases leases = new Leases(borrower.tenant(Tenants.DEFAULT))) {
            Leases.Lease lease = leases.take(address, Peers.LONG);
            UnsafeBuffer seen = new UnsafeBuffer(new byte[REGION]);
            for (int i = 0; i < lease.regions().count(); i++) {
                int length = (int) lease.regions().length(i);
                borrower.attach(address + "/" + lease.prefix() + i, Peers.LONG).read(0, seen, 0, length, Peers.LONG);
                for (int at = 0; at < length; at++) {
                    assertThat(seen.getByte(at)).isZero();
                }
            }
        }
        assertThat(donation.statistics().loans()).isEqualTo(2);
    }

    @Test
    void aDonorThatEndsTakesItsPagesAlong() {
        try (PagedMemory memory = borrow(Peers.LONG)) {
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[SIZE]);
            bytes.setMemory(0, SIZE, (byte) 7);
            memory.write(0, bytes, 0, SIZE);
            memory.flush(Peers.LONG);
            donation.close();
            Peers.await(() -> !memory.statistics().peers().get(0).alive());
            assertThatThrownBy(() -> memory.read(0, bytes, 0, SIZE))
                    .isInstanceOf(PageLostException.class)
                    .hasMessageContaining("peer " + address);
        }
    }

    @Test
    void aNodeWithoutDonationIsNamed() {
        donation.close();
        assertThatThrownBy(() -> borrow(Peers.LONG))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining(Donation.NAME);
    }

    @Test
    void whatIsNoRequestIsAnsweredWithWhy() {
        try (Requester requester = borrower.openRequester().pollOnNode()) {
            Channel channel = requester.connect(address + "/" + Donation.NAME, Peers.LONG);
            expectFailure(requester, channel, bytes -> {}, "3 bytes that are none of a donor's protocol", 3);
            expectFailure(
                    requester,
                    channel,
                    bytes -> bytes[4] = 9,
                    "version 9 of the donor's protocol; known is 1",
                    LeaseFlyweight.REQUEST_LENGTH);
            assertThat(donation.statistics().loans()).isZero();
        }
    }

    private static void expectFailure(
            Requester requester, Channel channel, Consumer<byte[]> change, String why, int length) {
        byte[] request = Arrays.copyOf(LeaseFlyweight.request(), length);
        change.accept(request);
        assertThatThrownBy(() ->
                        requester.call(channel, request, Peers.LONG).get(Peers.LONG.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining(why);
    }

    @Test
    void amountsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> Donation.offer(donor, 1))
                .hasMessage("donated bytes 1 outside " + Donation.MIN_BYTES + ".." + Donation.MAX_BYTES);
        assertThatThrownBy(() -> new PagedOptions(1 << 20).peer("local:somewhere"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("use donor");
    }

    @Test
    void answersAreChecked() {
        byte[] answer = LeaseFlyweight.answer(Regions.of(BYTES, REGION), "prefix");
        assertThat(LeaseFlyweight.defect(answer)).isEmpty();
        assertThat(LeaseFlyweight.regions(answer)).isEqualTo(new Regions(4, REGION, REGION / 2));
        assertThat(LeaseFlyweight.text(answer)).isEqualTo("prefix");
        assertThat(LeaseFlyweight.defect(Arrays.copyOf(answer, 20))).isEqualTo("an answer of 20 bytes < minimum 32");
        assertThat(LeaseFlyweight.defect(Arrays.copyOf(answer, 34))).isEqualTo("a text of 6 bytes in an answer of 34");
        answer[8] = (byte) 0xff;
        assertThat(LeaseFlyweight.defect(answer)).isEqualTo("255 regions outside 0..128");
    }
}
