/**
 * How a request travels to a shard and its reply back: flyweights over Agrona buffers, little-endian, allocation-free.
 *
 * <pre>
 *   caller                                                shard
 *   {@link io.verbena.kv.protocol.RequestEncoder}  -- request -->  {@link io.verbena.kv.protocol.RequestFlyweight}
 *   {@link io.verbena.kv.protocol.ReplyCursor}     &lt;-- reply ----  {@link io.verbena.kv.protocol.ReplyEncoder}
 * </pre>
 *
 * <p>{@link io.verbena.kv.protocol.KvOp} is the table of operations: code, name, arity, flags and key positions.
 * Decoders check every length against the buffer and throw {@link io.verbena.kv.protocol.ProtocolException} on
 * malformed input.
 */
@NullMarked
package io.verbena.kv.protocol;

import org.jspecify.annotations.NullMarked;
