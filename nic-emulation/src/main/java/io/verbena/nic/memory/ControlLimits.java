package io.verbena.nic.memory;

/**
 * How many objects a NIC's control block has room for. Fixed when the NIC opens.
 *
 * @param maxEngines engines, 1 to 16
 * @param maxKeys memory regions, a power of two, 16 to 2^20
 * @param maxQueuePairs queue pair numbers, 0 to this less one; 16 to 2^20
 * @param maxAppendQueues append queues, 1 to 16384
 * @param maxChunksPerQueue chunks of one append queue that are announced or unread, a power of two, 4 to 4096
 */
public record ControlLimits(
        int maxEngines, int maxKeys, int maxQueuePairs, int maxAppendQueues, int maxChunksPerQueue) {
    /** The defaults: a control block of about 1 MiB. */
    public static final ControlLimits DEFAULT = new ControlLimits(8, 4096, 4096, 256, 64);

    /** Checks each limit, and that the block's length fits an int. */
    public ControlLimits {
        inRange("max engines", maxEngines, 1, 16);
        inRange("max keys", maxKeys, 16, 1 << 20);
        powerOfTwo("max keys", maxKeys);
        inRange("max queue pairs", maxQueuePairs, 16, 1 << 20);
        powerOfTwo("max queue pairs", maxQueuePairs);
        inRange("max append queues", maxAppendQueues, 1, 1 << 14);
        inRange("max chunks per queue", maxChunksPerQueue, 4, 1 << 12);
        powerOfTwo("max chunks per queue", maxChunksPerQueue);
        long length = ControlDescriptor.length(maxEngines, maxKeys, maxQueuePairs, maxAppendQueues, maxChunksPerQueue);
        if (length > ControlDescriptor.MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "control block length " + length + " > maximum " + ControlDescriptor.MAX_LENGTH);
        }
    }

    private static void inRange(String name, int value, int minimum, int maximum) {
        if (value < minimum) {
            throw new IllegalArgumentException(name + " " + value + " < minimum " + minimum);
        }
        if (value > maximum) {
            throw new IllegalArgumentException(name + " " + value + " > maximum " + maximum);
        }
    }

    private static void powerOfTwo(String name, int value) {
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(
                    name + " " + value + " is not a power of two; next is " + Integer.highestOneBit(value) * 2L);
        }
    }
}
