package io.verbena.nic.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys of address handles: found by their domain alone, refused once they are stale. */
class AddressTableTest {
    private final AddressTable table = new AddressTable();

    @Test
    void addressIsFoundUnderItsKeyAndDomain() {
        int key = table.add(42, 1);
        assertThat(table.find(key, 1)).isEqualTo(new AddressTable.Address(key, 42, 1));
        assertThat(table.find(key, 2)).isNull();
        assertThat(table.find(key + 1, 1)).isNull();
        assertThat(table.find(key + (1 << 20), 1)).isNull();
        assertThat(table.find(0, 1)).isNull();
        assertThat(table.find(-1, 1)).isNull();
        assertThat(table.find(1 << 19, 1)).isNull();
    }

    @Test
    void removedAddressIsNotFound() {
        int first = table.add(42, 1);
        int second = table.add(43, 1);
        table.remove(first);
        assertThat(table.find(first, 1)).isNull();
        assertThat(table.find(second, 1)).isNotNull();
    }

    @Test
    void placeIsUsedAgainAsLateAsCanBeAndUnderAnotherKey() {
        int first = table.add(1, 1);
        table.remove(first);
        int second = table.add(2, 1);
        assertThat(second & 0xFFFFF).isNotEqualTo(first & 0xFFFFF);
        for (int i = 2; i < 1024; i++) {
            table.add(i, 1);
        }
        int again = table.add(5000, 1);
        assertThat(again & 0xFFFFF).isEqualTo(first & 0xFFFFF);
        assertThat(again).isNotEqualTo(first);
        assertThat(table.find(first, 1)).isNull();
        assertThat(table.find(again, 1).peerNic()).isEqualTo(5000);
    }

    @Test
    void tableGrows() {
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 3000; i++) {
            keys.add(table.add(i, 1));
        }
        assertThat(keys).hasSize(3000);
        for (int key : keys) {
            assertThat(table.find(key, 1)).isNotNull();
        }
        int one = keys.iterator().next();
        table.remove(one);
        int again = 0;
        for (int i = 0; i < 4096 - 2999; i++) {
            again = table.add(i, 1);
        }
        assertThat(again & 0xFFFFF).isEqualTo(one & 0xFFFFF); // the only free place of 4096
    }
}
