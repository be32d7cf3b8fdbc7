/**
 * Links over TCP and Unix-domain sockets, on epoll or NIO: natives are probed at run time, NIO always works.
 *
 * <pre>
 *   baton holder                               owner of the loop
 *   NettyLink.claim/commit ─▶ LinkSender ══ sealed buffers ═▶ channel.write ─▶ kernel
 *                                  └──────── nothing before it ─ DirectSocket ─▶ kernel
 *   NettyLink.poll ◀─ FrameReader ◀══════ received buffers ══ FrameHandler ◀── kernel
 * </pre>
 *
 * <p>The owner of the loop is the thread that drives the {@link io.verbena.fabric.netty.EventLoopWaiter}. No handler
 * ever calls the NIC: it queues what came, and whoever holds the engine's baton polls it.
 */
@NullMarked
package io.verbena.fabric.netty;

import org.jspecify.annotations.NullMarked;
