package io.verbena.nic.sim;

/** What a simulated thread does. */
@FunctionalInterface
public interface SimTask {
    /**
     * Says what the thread does next, by calls of its methods, which are carried out one after the other as time goes
     * by. Called again when all of it is done.
     *
     * @param self the thread, which is on a core now; it must be told to do something, or to {@link SimThread#end}
     */
    void step(SimThread self);
}
