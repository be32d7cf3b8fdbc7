package io.verbena.tier;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** The nodes of a test: peers that share memory, and one that pages to them. */
final class Peers implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(30);

    /** How the nodes reach each other, and who does their work. */
    enum Way {
        LOCAL(NodeMode.ASSISTED),
        TCP(NodeMode.THREAD);

        final NodeMode mode;

        Way(NodeMode mode) {
            this.mode = mode;
        }
    }

    private final Way way;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node> clients = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final List<PagedMemory> memories = new ArrayList<>();

    Peers(Way way) {
        this.way = way;
    }

    private Node launch() {
        return Node.launch(new NodeContext().mode(way.mode));
    }

    /** Adds a peer that shares so many bytes. */
    Peers add(int bytes) {
        Node node = launch();
        nodes.add(node);
        node.share("pages", bytes);
        addresses.add(way == Way.LOCAL ? "local:" + node.name() : node.listen("tcp://127.0.0.1:0"));
        return this;
    }

    String address(int peer) {
        return addresses.get(peer);
    }

    /** Options with all peers, and a timeout for a loaded machine. */
    PagedOptions options(long size) {
        PagedOptions options = new PagedOptions("pages", size).timeout(LONG);
        addresses.forEach(options::peer);
        return options;
    }

    PagedMemory open(PagedOptions options) {
        return open(client(), options);
    }

    PagedMemory open(Node client, PagedOptions options) {
        PagedMemory memory = PagedMemory.open(client, options, LONG);
        memories.add(memory);
        return memory;
    }

    Node client() {
        Node client = launch();
        clients.add(client);
        return client;
    }

    void kill(int peer) {
        nodes.get(peer).close();
    }

    static void await(BooleanSupplier condition) {
        Awaitility.await()
                .atMost(LONG)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .pollInSameThread()
                .until(condition::getAsBoolean);
    }

    @Override
    public void close() {
        memories.forEach(PagedMemory::close);
        clients.forEach(Node::close);
        nodes.forEach(Node::close);
    }
}
