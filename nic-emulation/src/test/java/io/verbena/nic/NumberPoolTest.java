package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class NumberPoolTest {
    @Test
    void aNumberComesAgainWhenAllOthersHaveBeenTaken() {
        NumberPool pool = new NumberPool(2, 5);
        assertThat(pool.take()).isEqualTo(2);
        assertThat(pool.take()).isEqualTo(3);
        pool.give(2);
        assertThat(pool.take()).isEqualTo(4);
        assertThat(pool.take()).isEqualTo(5);
        assertThat(pool.take()).isEqualTo(2);
        assertThat(pool.take()).isEqualTo(NumberPool.NONE);
        pool.give(4);
        assertThat(pool.take()).isEqualTo(4);
        assertThat(pool.take()).isEqualTo(NumberPool.NONE);
    }

    @Test
    void aNumberThatIsNotUsableYetIsPassedOver() {
        NumberPool pool = new NumberPool(2, 5);
        assertThat(pool.take(number -> number != 2)).isEqualTo(3);
        assertThat(pool.take(number -> number != 4)).isEqualTo(5);
        assertThat(pool.take(number -> number != 4)).isEqualTo(2);
        assertThat(pool.take(number -> number != 4)).isEqualTo(NumberPool.NONE);
        assertThat(pool.take()).isEqualTo(4);
    }
}
