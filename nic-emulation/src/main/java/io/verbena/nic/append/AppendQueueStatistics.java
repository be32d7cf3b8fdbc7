package io.verbena.nic.append;

/**
 * What {@link AppendQueue#query} tells (RIMA Table 3, {@code ibv_query_aq}). The values are read one after the other.
 *
 * @param depth bytes claimed and not taken yet, headers and padding included
 * @param footprint bytes mapped
 * @param highWater most bytes that were mapped at a time
 * @param announcedFree bytes announced and not claimed yet
 * @param records messages consumed
 * @param bytes payload bytes consumed
 * @param watermarkCrossings times that the free bytes ahead of the tail fell below the low watermark
 * @param rnr appends answered RNR
 * @param holes claims of stalled or dead initiators turned into padding
 * @param paddingBytes bytes of padding consumed
 * @param allocations mappings allocated
 * @param setAside chunks drained but kept because a stalled initiator may still write into them
 * @param resets times that the empty queue started at the top of a clean chunk
 * @param releases mappings given back
 * @param heldRecords records taken and not released: those that are held, and those that one consumer of several
 *     handles
 * @param heldBytes bytes of these
 * @param heldChunks chunks drained but kept because of records that are held
 * @param stagedBytes bytes of the footprint that are buffers for messages that arrive in parts
 * @param meanFootprint bytes mapped on average over the time since the queue was made
 * @param allocationP50Nanos how long half of the last allocations of a chunk took at most; 0 if there was none
 * @param allocationP99Nanos the same of 99 in 100
 * @param arrivalRate messages per second recently
 * @param meanServiceNanos how long a message has been in the queue recently, by Little's law; 0 if none came
 * @param exhaustions times that the NIC's memory had no mapping for it, or none within its provider's limit
 * @param starved whether that has been so for ten seconds with nothing left to consume: appends fail then, and do not
 *     wait
 */
public record AppendQueueStatistics(
        long depth,
        long footprint,
        long highWater,
        long announcedFree,
        long records,
        long bytes,
        long watermarkCrossings,
        long rnr,
        long holes,
        long paddingBytes,
        long allocations,
        int setAside,
        long resets,
        long releases,
        long heldRecords,
        long heldBytes,
        int heldChunks,
        long stagedBytes,
        long meanFootprint,
        long allocationP50Nanos,
        long allocationP99Nanos,
        double arrivalRate,
        long meanServiceNanos,
        long exhaustions,
        boolean starved) {}
