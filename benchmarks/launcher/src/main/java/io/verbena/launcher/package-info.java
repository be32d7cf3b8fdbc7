/**
 * The executable jar of all tools. {@link io.verbena.launcher.Main} puts the commands of all modules together; it
 * stands at the end of the arrows, so the test that holds them is here, where all classes are seen.
 *
 * <pre>
 *   nic ◀── fabric ◀── framework ◀── apps: kvstore ◀── redis-proxy, console
 *    ▲        ▲            ▲                                ▲
 *    └────────┴─ verification ◀── bench ◀── papers ◀── launcher
 * </pre>
 */
@NullMarked
package io.verbena.launcher;

import org.jspecify.annotations.NullMarked;
