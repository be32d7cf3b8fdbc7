/**
 * The ports' test doubles, for tests of every package.
 *
 * <pre>
 *   Link    TestLink   nothing comes and nothing waits; what a test is about it overrides
 *             FakeLink (transport), HookedLink (engine), PacketLink and those of single tests
 *   Waiter  Sleeper    does something while its owner sleeps, and counts
 * </pre>
 */
@NullMarked
package io.verbena.nic.support;

import org.jspecify.annotations.NullMarked;
