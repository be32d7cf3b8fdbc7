package io.verbena.tier;

/** How bytes make pages, and pages blocks. Immutable. */
final class Geometry {
    final long size;
    final int pageLength;
    final int blockLength;
    final int pagesPerBlock;
    final long pages;
    final int blocks;
    private final int pageShift;
    private final int blockShift;

    /** Creates it; all lengths are powers of two, and {@code size} is a multiple of {@code pageLength}. */
    Geometry(long size, int pageLength, int blockLength) {
        this.size = size;
        this.pageLength = pageLength;
        this.blockLength = blockLength;
        this.pagesPerBlock = blockLength / pageLength;
        this.pageShift = Integer.numberOfTrailingZeros(pageLength);
        this.blockShift = Integer.numberOfTrailingZeros(pagesPerBlock);
        this.pages = size >>> pageShift;
        this.blocks = (int) ((pages + pagesPerBlock - 1) >>> blockShift);
    }

    /** The number of the page that a byte is in. */
    long page(long offset) {
        return offset >>> pageShift;
    }

    /** The offset of a page. */
    long offset(long page) {
        return page << pageShift;
    }

    /** The place of a byte in its page. */
    int inPage(long offset) {
        return (int) (offset & (pageLength - 1));
    }

    /** The number of the block that a page is in. */
    int block(long page) {
        return (int) (page >>> blockShift);
    }

    /** The place of a page in its block. */
    int inBlock(long page) {
        return (int) (page & (pagesPerBlock - 1));
    }

    /** The number of a block's page. */
    long page(int block, int inBlock) {
        return ((long) block << blockShift) + inBlock;
    }
}
