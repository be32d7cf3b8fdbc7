package io.verbena.papers.rima;

import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.SimNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.agrona.DirectBuffer;

/** A server of {@link FastKv}: executes requests in a shard of the key-value store, and answers each. */
final class KvServer {
    private static final long STORE_BYTES = 64 << 20;

    final SimNode node;
    final ProtectionDomain domain;
    final KvQueue requests;
    private final KvQueue replies; // the client's
    private final KvSource source;
    private final Shard shard;
    private final ReplyEncoder reply = new ReplyEncoder();
    private final SendRequest request = new SendRequest();
    private final Map<Integer, QueuePair> clients = new HashMap<>();

    KvServer(SimNode node, ProtectionDomain domain, KvQueue requests, KvQueue replies) {
        this.node = node;
        this.domain = domain;
        this.requests = requests;
        this.replies = replies;
        this.source = new KvSource(domain);
        this.shard = new Shard(new ShardContext().seed(1).maxMemory(STORE_BYTES), () -> 0);
    }

    void accept(QueuePair client) {
        clients.put(client.number(), client);
    }

    int turn() {
        return requests.poll(this::execute);
    }

    private void execute(DirectBuffer buffer, int offset, int length, int qpNumber) {
        shard.execute(buffer, offset, length, reply);
        int tail = reply.tailLength();
        int at = source.claim(reply.length());
        source.buffer().putBytes(at, reply.buffer(), 0, reply.length() - tail);
        source.buffer().putBytes(at + reply.length() - tail, reply.tail(), reply.tailOffset(), tail);
        replies.address(request).local(source.key(), at, reply.length()).signaled(false);
        QueuePair client = Objects.requireNonNull(clients.get(qpNumber));
        if (client.postSend(request) != PostResult.POSTED) {
            throw new IllegalStateException("no room for a reply with " + client.outstanding() + " under way");
        }
    }

    void close() {
        shard.close();
        reply.close();
    }
}
