package io.verbena.nic.append;

/**
 * What {@link AppendQueue#query} tells (RIMA Table 3, {@code ibv_query_aq}). The values are read one after the other.
 *
 * @param depth bytes claimed and not consumed yet, headers and padding included
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
        int setAside) {}
