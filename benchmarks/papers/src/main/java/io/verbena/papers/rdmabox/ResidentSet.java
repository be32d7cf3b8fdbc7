package io.verbena.papers.rdmabox;

import java.util.Arrays;

/**
 * Which pages are in local frames: stands for {@code io.verbena.tier}, which waits on threads of the machine. A clock
 * chooses the frame that is used again, as the product's back hand does; a page that was written leaves first. What is
 * read ahead follows the product's rule: two pages after the second fault in a row of a thread, then twice as many each
 * time ({@link PagedApplication}). A page is there for other threads as soon as one has asked for it.
 */
final class ResidentSet {
    private static final int NONE = -1;

    private final int[] frames; // by page
    private final int[] pages; // by frame
    private final boolean[] used;
    private final boolean[] dirty;
    private int hand;

    /** Creates it, filled with the first pages. */
    ResidentSet(int pageCount, int frameCount) {
        frames = new int[pageCount];
        pages = new int[frameCount];
        used = new boolean[frameCount];
        dirty = new boolean[frameCount];
        Arrays.fill(frames, NONE);
        for (int i = 0; i < frameCount; i++) {
            pages[i] = i;
            frames[i] = i;
        }
    }

    /** Whether a page is there. */
    boolean has(int page) {
        return frames[page] != NONE;
    }

    /** A page that is there is used. */
    void use(int page, boolean writes) {
        int frame = frames[page];
        used[frame] = true;
        dirty[frame] |= writes;
    }

    /**
     * Gives a frame to a page that is not there.
     *
     * @return the page that had it and has to be written first, or -1
     */
    int admit(int page) {
        while (used[hand]) {
            used[hand] = false;
            hand = (hand + 1) % used.length;
        }
        int frame = hand;
        hand = (hand + 1) % used.length;
        int old = pages[frame];
        frames[old] = NONE;
        frames[page] = frame;
        pages[frame] = page;
        used[frame] = true;
        boolean wasDirty = dirty[frame];
        dirty[frame] = false;
        return wasDirty ? old : NONE;
    }
}
