/**
 * The ports through which the NIC reaches the world, and which fabrics implement: links for packets, peer memory for
 * what is mapped here, and waiters for blocking. The only package of the NIC that a fabric imports.
 */
@NullMarked
package io.verbena.nic.port;

import org.jspecify.annotations.NullMarked;
