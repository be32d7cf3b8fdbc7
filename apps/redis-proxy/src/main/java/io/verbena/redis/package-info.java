/**
 * The Redis protocol in front of the key-value store or of real Redis servers.
 */
@NullMarked
package io.verbena.redis;

import org.jspecify.annotations.NullMarked;
