/**
 * The client of the store: one channel per shard, one inbox for all replies, and requests that are composed in the
 * memory from which they are sent. Beside it, GETs by one-sided READs of what the shards publish.
 */
@NullMarked
package io.verbena.kv.client;

import org.jspecify.annotations.NullMarked;
