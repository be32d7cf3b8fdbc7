/**
 * The client of the store: a channel a shard, one inbox for all replies, requests composed where they travel from.
 */
@NullMarked
package io.verbena.kv.client;

import org.jspecify.annotations.NullMarked;
