package io.verbena.tier;

/**
 * Where a page is, as its {@link Block} knows it.
 *
 * <pre>
 *              read             done                    write
 *   ABSENT ──────────▶ LOADING ──────▶ CLEAN ───────────────────────▶ DIRTY ◀────────────┐
 *     ▲ ▲                 │ failed      │ ▲                            │ ▲ a replica      │
 *     │ └─────────────────┘             │ │ done, every replica    post│ │ failed         │ done
 *     └─────────────────────────────────┘ └───────────────────────  WRITING ──────▶ REWRITTEN
 *              evicted                                                       write
 * </pre>
 *
 * <p>A first write, or one of a whole page, takes ABSENT to DIRTY: nothing is read for it.
 */
enum PageState {
    /** It has no frame: it is at its replicas, was never written, or is lost. */
    ABSENT(false, false),
    /** A frame is being filled. */
    LOADING(false, false),
    /** Every replica has it. */
    CLEAN(true, false),
    /** A replica lacks it, or has an older one. */
    DIRTY(true, true),
    /** It is on its way to the replicas. */
    WRITING(true, true),
    /** It was written again while on its way. */
    REWRITTEN(true, true);

    /** Whether its frame has its bytes. */
    final boolean isResident;
    /** Whether its frame is the only place that has all of them. */
    final boolean isDirty;

    PageState(boolean isResident, boolean isDirty) {
        this.isResident = isResident;
        this.isDirty = isDirty;
    }
}
