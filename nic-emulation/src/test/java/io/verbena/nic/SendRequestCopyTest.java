package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** A copy of a request is what the request was. */
class SendRequestCopyTest {
    private static final int SLOT = 4096;

    private static UnsafeBuffer encoded(SendRequest request) {
        UnsafeBuffer ring = new UnsafeBuffer(new byte[SLOT]);
        request.encode(ring, 0);
        return ring;
    }

    private static SendRequest many() {
        SendRequest request = new SendRequest().write(7, 1L << 40);
        for (int i = 0; i < 20; i++) {
            request.local(i, 1000L * i, 10 + i);
        }
        return request.fence().signaled(false).wrId(99);
    }

    @Test
    void staysWhileTheRequestIsUsedAgain() {
        for (SendRequest request : List.of(
                many(),
                new SendRequest().compareSwap(3, 8, 11, 12).local(4, 16, 8),
                new SendRequest().fetchAdd(3, 8, -5).local(4, 16, 8),
                new SendRequest().sendImmediate(77).local(1, 2, 3).solicited())) {
            UnsafeBuffer before = encoded(request);
            SendRequest copy = request.copy();
            assertThat(copy.length()).isEqualTo(request.length());
            request.read(1, 2).local(5, 6, 7).wrId(8);
            assertThat(encoded(copy)).isEqualTo(before);
        }
    }

    @Test
    void inlineDataCannotBeKept() {
        SendRequest request = new SendRequest().send().inline(new UnsafeBuffer(new byte[8]), 0, 8);
        assertThatIllegalStateException()
                .isThrownBy(request::copy)
                .withMessage("a request with inline data cannot be kept");
    }
}
