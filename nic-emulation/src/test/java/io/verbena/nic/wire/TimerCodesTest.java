package io.verbena.nic.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TimerCodesTest {
    @Test
    void rnrDelaysAreInfiniBandsTable() {
        double[] millis = {
            655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56,
            3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52
        };
        for (int code = 0; code <= RnrTimer.MAX_CODE; code++) {
            assertThat(RnrTimer.nanos(code)).as("code %d", code).isEqualTo(Math.round(millis[code] * 1e6));
        }
        assertThatThrownBy(() -> RnrTimer.nanos(32)).hasMessageContaining("32").hasMessageContaining("0..31");
        assertThatThrownBy(() -> RnrTimer.nanos(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ackTimeoutDoublesAndZeroIsForEver() {
        assertThat(AckTimeout.nanos(0)).isEqualTo(AckTimeout.FOREVER);
        assertThat(AckTimeout.nanos(1)).isEqualTo(8_192);
        assertThat(AckTimeout.nanos(14)).isEqualTo(67_108_864);
        assertThat(AckTimeout.nanos(18)).isEqualTo(1_073_741_824);
        assertThat(AckTimeout.nanos(31)).isEqualTo(8_796_093_022_208L);
        assertThatThrownBy(() -> AckTimeout.nanos(32)).hasMessageContaining("32");
        assertThatThrownBy(() -> AckTimeout.nanos(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void syndromesFallIntoKinds() {
        for (int s = 0; s < 256; s++) {
            int kinds = (AethSyndrome.isAck(s) ? 1 : 0)
                    + (AethSyndrome.isRnrNak(s) ? 1 : 0)
                    + (AethSyndrome.isRefusal(s) ? 1 : 0)
                    + (AethSyndrome.isNak(s) ? 1 : 0);
            assertThat(kinds).isLessThanOrEqualTo(1);
            if (kinds == 0) {
                assertThat(AethSyndrome.isKnown(s)).isFalse();
            }
            assertThat(AethSyndrome.describe(s)).isNotEmpty();
            assertThat(AethSyndrome.describe(s).startsWith("unknown")).isEqualTo(!AethSyndrome.isKnown(s));
        }
        for (int code = 0; code < 32; code++) {
            int s = AethSyndrome.rnrNak(code);
            assertThat(AethSyndrome.isRnrNak(s)).isTrue();
            assertThat(AethSyndrome.timerCode(s)).isEqualTo(code);
        }
        for (int nak : new int[] {
            AethSyndrome.INVALID_REQUEST,
            AethSyndrome.REMOTE_ACCESS_ERROR,
            AethSyndrome.REMOTE_OPERATIONAL_ERROR,
            AethSyndrome.REMOTE_ABORTED
        }) {
            int refusal = AethSyndrome.refusal(nak);
            assertThat(AethSyndrome.isKnown(refusal)).isTrue();
            assertThat(AethSyndrome.nak(refusal)).isEqualTo(nak);
        }
        assertThat(AethSyndrome.isKnown(AethSyndrome.refusal(AethSyndrome.PSN_SEQUENCE_ERROR)))
                .isFalse();
        assertThat(AethSyndrome.isAck(AethSyndrome.ACK)).isTrue();
        assertThat(AethSyndrome.isNak(AethSyndrome.PSN_SEQUENCE_ERROR)).isTrue();
        assertThatThrownBy(() -> AethSyndrome.rnrNak(32)).hasMessageContaining("32");
    }
}
