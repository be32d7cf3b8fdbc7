/**
 * Links over TCP and Unix-domain sockets, with or without TLS, on NIO, epoll or io_uring. Natives are probed at run
 * time; NIO always works.
 */
@NullMarked
package io.verbena.fabric.netty;

import org.jspecify.annotations.NullMarked;
