/**
 * A key-value store: requests through append queues, reads one-sided from the server's memory.
 */
@NullMarked
package io.verbena.kv;

import org.jspecify.annotations.NullMarked;
