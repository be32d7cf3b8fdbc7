package io.verbena.fabric.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The file with both rings of a link: first that from the connecting to the accepting side, then the other.
 *
 * @param path of the file
 * @param whole the file as it is mapped
 * @param toAcceptor ring from the connecting side
 * @param toConnector ring to the connecting side
 */
record RingFile(Path path, AtomicBuffer whole, AtomicBuffer toAcceptor, AtomicBuffer toConnector) {
    private static final String PREFIX = "ring-";

    /** Makes the file in a directory, under a random name. */
    static RingFile create(Path directory, int ringLength, int maxPacket) {
        PacketRingDescriptor.checkCapacity(ringLength, maxPacket);
        Path path = directory.resolve(
                PREFIX + Long.toHexString(ThreadLocalRandom.current().nextLong()));
        int each = PacketRingDescriptor.totalLength(ringLength);
        AtomicBuffer whole = MappedFile.create(path, Math.multiplyExact(2, each), "packet rings");
        RingFile file = split(path, whole, each);
        PacketRingDescriptor.initialize(file.toAcceptor, ringLength, maxPacket);
        PacketRingDescriptor.initialize(file.toConnector, ringLength, maxPacket);
        return file;
    }

    /**
     * Maps a file that the connecting side made.
     *
     * @throws IOException if it is not what it should be
     */
    static RingFile open(Path path, int ringLength, int maxPacket) throws IOException {
        AtomicBuffer whole = MappedFile.open(path, Integer.MAX_VALUE);
        int each = PacketRingDescriptor.totalLength(ringLength);
        if (whole.capacity() != 2L * each) {
            throw new IOException("ring file of " + whole.capacity() + " bytes, expected " + 2L * each);
        }
        RingFile file = split(path, whole, each);
        for (AtomicBuffer ring : new AtomicBuffer[] {file.toAcceptor, file.toConnector}) {
            String defect = PacketRingDescriptor.defect(ring, ringLength, maxPacket);
            if (defect != null) {
                throw new IOException(defect);
            }
        }
        return file;
    }

    private static RingFile split(Path path, AtomicBuffer whole, int each) {
        return new RingFile(path, whole, new UnsafeBuffer(whole, 0, each), new UnsafeBuffer(whole, each, each));
    }

    /** Removes the name; the memory stays with those who have it mapped. */
    void unlink() {
        MappedFile.delete(path);
    }

    /** Unmaps the rings; nobody here touches them any more. */
    void unmap() {
        toAcceptor.wrap(0, 0);
        toConnector.wrap(0, 0);
        MappedFile.unmap(whole);
    }
}
