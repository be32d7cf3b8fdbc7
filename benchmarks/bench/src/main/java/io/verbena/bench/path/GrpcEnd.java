package io.verbena.bench.path;

import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.CallStreamObserver;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * gRPC: unary calls, or one stream in both directions, of byte arrays without a codec. Each side has one event loop
 * thread, which runs the handlers too (direct executors): the fewest hops that gRPC offers. The near end's thread
 * starts calls; the far end's has nothing to do. gRPC and the JVM's compiler allocate, and need 10 s and more to become
 * fast.
 */
final class GrpcEnd extends LocalEnd {
    private static final int SECONDS = 10;
    private static final int ROOM = 1024;

    private final EventLoopGroup loop;
    private final @Nullable Server server;
    private final @Nullable ManagedChannel channel;
    private final @Nullable ClientCallStreamObserver<byte[]> stream;
    private final byte[] message;
    private final UnsafeBuffer view;
    private final AtomicLong arrived = new AtomicLong(); // written by the event loop alone
    private volatile @Nullable Throwable failure;
    private long sent;

    GrpcEnd(Rendezvous rendezvous, boolean near, boolean streaming, PathSettings settings) {
        super(near, settings);
        message = new byte[length];
        view = new UnsafeBuffer(message);
        DefaultThreadFactory threads = new DefaultThreadFactory(near ? "grpc-near" : "grpc-far", true);
        loop = Epoll.isAvailable() ? new EpollEventLoopGroup(1, threads) : new NioEventLoopGroup(1, threads);
        if (near) {
            server = null;
            ManagedChannel made = connect(Integer.parseInt(rendezvous.hear(() -> {})));
            channel = made;
            WaitLimit deadline = WaitLimit.ofSeconds(SECONDS, "connection over gRPC");
            while (made.getState(true) != ConnectivityState.READY) { // calls that wait for it lose their order
                deadline.run();
            }
            stream = streaming
                    ? (ClientCallStreamObserver<byte[]>) ClientCalls.asyncBidiStreamingCall(
                            made.newCall(GrpcPayload.STREAM, CallOptions.DEFAULT), new Answers())
                    : null;
        } else {
            Server made = serve();
            server = made;
            channel = null;
            stream = null;
            rendezvous.tell(String.valueOf(made.getPort()));
        }
        rendezvous.meet(() -> {});
    }

    private ManagedChannel connect(int port) {
        return NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .usePlaintext()
                .directExecutor()
                .eventLoopGroup(loop)
                .channelType(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .maxInboundMessageSize(length + ROOM)
                .build();
    }

    private Server serve() {
        ServerServiceDefinition service = ServerServiceDefinition.builder("verbena.Echo")
                .addMethod(GrpcPayload.UNARY, ServerCalls.asyncUnaryCall((request, responses) -> {
                    responses.onNext(request);
                    responses.onCompleted();
                }))
                .addMethod(GrpcPayload.STREAM, ServerCalls.asyncBidiStreamingCall(Echo::new))
                .build();
        try {
            return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .directExecutor()
                    .bossEventLoopGroup(loop)
                    .workerEventLoopGroup(loop)
                    .channelType(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                    .maxInboundMessageSize(length + ROOM)
                    .addService(service)
                    .build()
                    .start();
        } catch (IOException e) {
            throw new RunException("gRPC cannot listen: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean offer(long number) {
        check();
        if (sent - arrived.getAcquire() >= settings.depth() || (stream != null && !stream.isReady() && sent > 0)) {
            return false;
        }
        Stamp.put(view, 0, length, number); // gRPC has copied the array when the call returns
        sent++;
        if (stream != null) {
            stream.onNext(message);
        } else if (channel != null) {
            ClientCalls.asyncUnaryCall(
                    channel.newCall(GrpcPayload.UNARY, CallOptions.DEFAULT), message, new Answer(number));
        }
        return true;
    }

    @Override
    int complete(int limit) {
        check();
        long until = arrived.getAcquire();
        int count = (int) (until - taken());
        while (taken() < until) {
            accept(taken());
        }
        return count;
    }

    private void check() {
        Throwable cause = failure;
        if (cause != null) {
            throw new RunException("gRPC: " + cause.getMessage(), cause);
        }
    }

    @Override
    public void close() {
        if (stream != null) {
            stream.cancel("the measurement is over", null);
        }
        try {
            if (channel != null) {
                channel.shutdownNow().awaitTermination(SECONDS, TimeUnit.SECONDS);
            }
            if (server != null) {
                server.shutdownNow().awaitTermination(SECONDS, TimeUnit.SECONDS);
            }
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void arrive(byte[] answer, long expected) {
        try {
            Stamp.checkLength(answer.length, length);
            long number = Stamp.get(new UnsafeBuffer(answer), 0, length);
            if (number != expected) {
                throw new RunException("answer " + expected + " was expected, " + number + " came");
            }
            arrived.setRelease(arrived.getPlain() + 1);
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** The near end's answers on a stream, which keeps their order; on its event loop. */
    private final class Answers implements StreamObserver<byte[]> {
        @Override
        public void onNext(byte[] answer) {
            arrive(answer, arrived.getPlain());
        }

        @Override
        public void onError(Throwable cause) {
            failure = cause;
        }

        @Override
        public void onCompleted() {}
    }

    /** The answer to one call; between calls there is no order. */
    private final class Answer implements StreamObserver<byte[]> {
        private final long number;

        Answer(long number) {
            this.number = number;
        }

        @Override
        public void onNext(byte[] answer) {
            arrive(answer, number);
        }

        @Override
        public void onError(Throwable cause) {
            failure = cause;
        }

        @Override
        public void onCompleted() {}
    }

    /** The far end's stream. */
    private static final class Echo implements StreamObserver<byte[]> {
        private final CallStreamObserver<byte[]> answers;

        Echo(StreamObserver<byte[]> answers) {
            this.answers = (CallStreamObserver<byte[]>) answers;
        }

        @Override
        public void onNext(byte[] request) {
            answers.onNext(request);
        }

        @Override
        public void onError(Throwable cause) {
            // The near end has closed the stream.
        }

        @Override
        public void onCompleted() {
            answers.onCompleted();
        }
    }
}
