/**
 * The Redis serialization protocol, both versions, on buffers of the caller.
 *
 * <pre>
 *   socket -> receive buffer -> {@link io.verbena.redis.resp.RespParser}: offsets and lengths of the arguments
 *   reply  -> {@link io.verbena.redis.resp.RespWriter} -> output buffer -> socket
 * </pre>
 *
 * Neither side copies or allocates per command: the parser leaves the arguments where the socket put them, the writer
 * writes each reply once, into the buffer that is sent.
 */
@NullMarked
package io.verbena.redis.resp;

import org.jspecify.annotations.NullMarked;
