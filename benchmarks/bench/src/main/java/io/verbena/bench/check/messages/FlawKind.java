package io.verbena.bench.check.messages;

/** What can be wrong. */
public enum FlawKind {
    /** A message came twice. */
    DUPLICATE,
    /** A message that was sent never came, though its channel stayed open. */
    LOST,
    /** A message overtook another of its channel. */
    REORDERED,
    /** A message's bytes or length are not what was sent, or what was held has changed. */
    TORN,
    /** A message came to another inbox, or by another channel, than it was sent to. */
    MISDELIVERED,
    /** Something came after a close had returned. */
    AFTER_CLOSE,
    /** A call or an operation ended otherwise than it may. */
    WRONG_END,
    /** Memory of a region, or what an atomic returned, is not what the operations so far make of it. */
    WRONG_MEMORY,
    /** A callback was entered inside another of the same node, or a node was driven inside its own callback. */
    REENTERED,
    /** What is held grows, or is left when all is closed. */
    LEFT,
    /** Nothing has gone on for too long where something was due. */
    STALLED,
    /** An exception, or a process that ended, where none may. */
    UNEXPECTED
}
