/**
 * Who sends next, and how much: the {@link io.verbena.nic.arbiter.Arbiter} port and what is behind it. The disciplines
 * that it is compared with are in {@link io.verbena.nic.arbiter.baseline}.
 *
 * <pre>
 *   engine ── next ─▶ group (round) ─▶ output's queue (round) ─▶ flow (round) ── budget ─▶ requester, responder
 *          ◀─ charge, then active | idle | blocked | full
 *          groups above ceiling or rate, flows above their rate ──▶ timing wheel ── expire ─▶ back to their rounds
 * </pre>
 *
 * <p>A group has a ceiling and a floor ({@link io.verbena.nic.arbiter.FlowGroup#rates}), a flow a
 * {@link io.verbena.nic.arbiter.RateLimit}; the lower of ceiling and limit holds. Beside its ceiling a group has a rate
 * of operations ({@link io.verbena.nic.arbiter.OperationRate}), which another writer sets. A group or flow that may not
 * send waits in one timing wheel and in no round, and costs nothing until it is due.
 *
 * <h2>An example</h2>
 *
 * <p>Group A of weight 1 has one flow, a1. Group B of weight 3 has two: b1 of weight 1 and b2 of weight 2. All send
 * messages of 10,000 bytes, which are not cut, and always have more. A lap over the groups is 65,536 bytes, so it gives
 * A 16,384 and B 49,152; of those b1 is given 16,384 and b2 32,768. A visit may send what both the flow and its group
 * have left.
 *
 * <pre>
 *   lap  visit  may send    sends   its group has left
 *    1    a1     16,384    20,000    -3,616   the second message overshoots, and is paid for in the next lap
 *         b1     16,384    20,000    29,152
 *         b2     29,152    30,000      -848   b2 has 2,768 left of its own
 *    2    a1     12,768    20,000    -7,232   16,384 less the 3,616 that are owed
 *         b2      2,768    10,000    38,304   goes on with what it had left
 *         b1     12,768    20,000    18,304
 *         b2     18,304    20,000    -1,696
 *    3    a1      9,152    10,000      -848
 *         b2      5,536    10,000    37,456
 *         b1      9,152    10,000    27,456
 *         b2     27,456    30,000    -2,544
 * </pre>
 *
 * <p>After three laps a1 has sent 50,000 bytes, b1 50,000 and b2 100,000. By the weights 49,152, 49,152 and 98,304 are
 * due: nobody is further from its share than one message, and since that is owed or kept it never becomes more.
 */
@NullMarked
package io.verbena.nic.arbiter;

import org.jspecify.annotations.NullMarked;
