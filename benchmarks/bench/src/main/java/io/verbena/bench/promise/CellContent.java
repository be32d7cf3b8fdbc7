package io.verbena.bench.promise;

import io.verbena.verification.RunException;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** What messages contain: whose they are, and bytes that tell whether they came whole. For one thread. */
final class CellContent {
    private static final int TENANTS = 2;
    private static final int STEP = 7; // odd: a piece that is missing or comes twice moves what follows

    private final Cell.Sizes sizes;
    private final CRC32C checksum = new CRC32C();
    private final byte[] copy;
    private final long[] expected = new long[TENANTS];

    CellContent(Cell.Sizes sizes) {
        this.sizes = sizes;
        this.copy = new byte[Math.max(sizes.of(0), sizes.of(1))];
        for (int i = 0; i < TENANTS; i++) {
            message(i, sizes).getBytes(0, copy, 0, sizes.of(i));
            expected[i] = sum(sizes.of(i));
        }
    }

    /** A tenant's message. */
    static UnsafeBuffer message(int tenant, Cell.Sizes sizes) {
        byte[] bytes = new byte[sizes.of(tenant)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (tenant + STEP * i + (i >> Byte.SIZE));
        }
        return new UnsafeBuffer(bytes);
    }

    /**
     * Reads a message whole, as who works with it would.
     *
     * @return whose it is
     * @throws RunException if it is not as it was sent
     */
    int read(DirectBuffer buffer, int offset, int length) {
        int tenant = length > 0 ? buffer.getByte(offset) : -1;
        if (tenant < 0 || tenant >= TENANTS || length != sizes.of(tenant)) {
            throw new RunException("a message of " + length + " bytes that begins with " + tenant + " was not sent");
        }
        buffer.getBytes(offset, copy, 0, length);
        if (sum(length) != expected[tenant]) {
            throw new RunException("a message of tenant " + tenant + " of " + length + " bytes came damaged");
        }
        return tenant;
    }

    private long sum(int length) {
        checksum.reset();
        checksum.update(copy, 0, length);
        return checksum.getValue();
    }
}
