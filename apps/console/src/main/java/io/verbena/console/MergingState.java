package io.verbena.console;

/**
 * What a node says of a tenant's regions whose operations merge: counts since the node began, and what is under way.
 *
 * @param operations that were accepted
 * @param merged of them, those that shared a work request with others
 * @param waited of them, those that waited because the window was full
 * @param refused calls that were told "not now" because too many operations had not ended
 * @param bytesInFlight bytes under way
 * @param window bytes that may be under way
 */
record MergingState(long operations, long merged, long waited, long refused, long bytesInFlight, long window) {
    /** The state of a tenant that has merged nothing. */
    static final MergingState NONE = new MergingState(0, 0, 0, 0, 0, 0);
}
