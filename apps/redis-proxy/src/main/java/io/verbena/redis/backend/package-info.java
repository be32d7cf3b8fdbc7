/**
 * The seam between the proxy and the store: requests out, replies in, by correlation.
 */
@NullMarked
package io.verbena.redis.backend;

import org.jspecify.annotations.NullMarked;
