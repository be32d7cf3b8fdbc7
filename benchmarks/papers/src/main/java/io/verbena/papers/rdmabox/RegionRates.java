package io.verbena.papers.rdmabox;

import io.verbena.BufferPolicy;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RegionOptions;
import io.verbena.RemoteRegion;
import io.verbena.SendResult;
import io.verbena.SharedRegion;
import io.verbena.bench.path.WaitLimit;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.SocketDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** What a remote region writes over Unix-domain sockets, both nodes in this process, copying and registering. */
final class RegionRates implements AutoCloseable {
    /** Longest write, and the region's length. */
    static final int MAX_BYTES = 4 << 20;

    private static final int UNDER_WAY = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SocketDirectory directory;
    private final Node server;
    private final Node client;
    private final SharedRegion shared;
    private final List<UnsafeBuffer> sources = new ArrayList<>();
    private final RemoteRegion copying;
    private final RemoteRegion registering;
    private int ended;
    private final OperationHandler ends = (id, outcome, value) -> {
        if (outcome != Outcome.DONE) {
            throw new RunException("a write ended as " + outcome);
        }
        ended++;
    };

    /** Launches both nodes. */
    RegionRates() throws IOException {
        directory = new SocketDirectory();
        server = Node.launch(new NodeContext());
        client = Node.launch(new NodeContext());
        shared = server.share("memory", MAX_BYTES);
        String address = server.listen("uds:" + directory.socket()) + "/memory";
        copying = client.attach(address, new RegionOptions(), PATIENCE);
        registering = client.attach(address, new RegionOptions().buffers(BufferPolicy.REGISTER), PATIENCE);
        for (int i = 0; i < UNDER_WAY; i++) {
            UnsafeBuffer source = new UnsafeBuffer(ByteBuffer.allocateDirect(MAX_BYTES));
            source.setMemory(0, MAX_BYTES, (byte) (i + 1));
            sources.add(source);
        }
    }

    /** Bytes a second of writes of a length, from buffers that come again, for so long. */
    double rate(boolean registers, int bytes, long nanos) {
        RemoteRegion region = registers ? registering : copying;
        WaitLimit limit = WaitLimit.ofSeconds(PATIENCE.toSeconds(), "the end of writes");
        ended = 0;
        int posted = 0;
        long begin = System.nanoTime();
        long now = begin;
        while (now - begin < nanos || ended < posted) {
            boolean posts = now - begin < nanos && posted - ended < UNDER_WAY;
            if (posts && region.write(0, sources.get(posted % UNDER_WAY), 0, bytes, posted, ends) == SendResult.SENT) {
                posted++;
            } else {
                region.poll(UNDER_WAY);
                limit.run();
            }
            now = System.nanoTime();
        }
        byte last = (byte) ((posted - 1) % UNDER_WAY + 1);
        if (posted > 0 && (shared.buffer().getByte(0) != last || shared.buffer().getByte(bytes - 1) != last)) {
            throw new RunException("the last write of " + bytes + " bytes is not where it should be");
        }
        return ended * (double) bytes * 1e9 / (now - begin);
    }

    /** Writes that were not copied. */
    long registered() {
        return registering.statistics().registered();
    }

    @Override
    public void close() {
        client.close();
        server.close();
        directory.close();
    }
}
