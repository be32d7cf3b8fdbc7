package io.verbena.nic.queue;

/** A request that is laid into a send ring under the engine's baton, because nobody posts there. */
public interface SlotWriter {
    /**
     * Writes it, except for inline data, into the next free slot, without posting it.
     *
     * @return the slot's offset; -1 if something is outstanding there
     */
    int write(SendRing ring);
}
