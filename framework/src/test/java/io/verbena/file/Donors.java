package io.verbena.file;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.tier.Donation;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** The nodes of a test: donors that share memory, or lend it, and file systems over them. */
final class Donors implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(30);
    static final int BLOCK = BlockPool.BLOCK;
    static final int PAGE = 4096;

    private final RemoteFileSystemProvider provider = new RemoteFileSystemProvider();
    private final NodeMode mode;
    private final List<Node> nodes = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>(); // of those that share
    private final List<String> lenders = new ArrayList<>();
    private final List<Donation> donations = new ArrayList<>();
    private final List<FileSystem> systems = new ArrayList<>();

    private Donors(NodeMode mode) {
        this.mode = mode;
    }

    /** Donors in this process that are called directly. */
    static Donors local() {
        return new Donors(NodeMode.ASSISTED);
    }

    /** Donors that are reached over sockets. */
    static Donors tcp() {
        return new Donors(NodeMode.THREAD);
    }

    Donors add(int bytes) {
        Node node = launch();
        node.share("files", bytes);
        addresses.add(address(node));
        return this;
    }

    /** Adds a donor that lends memory, as {@code verbena donate} does. */
    Donors lend(long bytes) {
        Node node = launch();
        donations.add(Donation.offer(node, bytes));
        lenders.add(address(node));
        return this;
    }

    private String address(Node node) {
        return mode == NodeMode.THREAD ? node.listen("tcp://127.0.0.1:0") : "local:" + node.name();
    }

    private Node launch() {
        Node node = Node.launch(new NodeContext().mode(mode));
        nodes.add(node);
        return node;
    }

    String address(int donor) {
        return addresses.get(donor);
    }

    /** Where one that lends is reached; counted by themselves. */
    String lender(int donor) {
        return lenders.get(donor);
    }

    Donation donation(int donor) {
        return donations.get(donor);
    }

    /** Until nobody has what donors lend. */
    void awaitReturned() {
        await(() ->
                donations.stream().allMatch(each -> each.statistics().borrower().isEmpty()));
    }

    RemoteFileSystemProvider provider() {
        return provider;
    }

    /** Properties with all donors, and a timeout for a loaded machine. */
    Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("peers", List.copyOf(addresses));
        properties.put("donors", List.copyOf(lenders));
        properties.put("timeout", LONG);
        properties.put("node", launch());
        return properties;
    }

    FileSystem open(String name, Map<String, ?> properties) throws IOException {
        FileSystem system = provider.newFileSystem(URI.create("verbena://" + name), properties);
        systems.add(system);
        return system;
    }

    /** A file system with a small part of it here, so that blocks come and go. */
    FileSystem small() throws IOException {
        Map<String, Object> properties = properties();
        properties.put("resident", 16 * PAGE);
        return open("small", properties);
    }

    void kill(int donor) {
        nodes.get(donor).close();
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
    public void close() throws IOException {
        for (FileSystem each : systems) {
            each.close();
        }
        donations.forEach(Donation::close);
        for (int i = nodes.size() - 1; i >= 0; i--) {
            nodes.get(i).close();
        }
    }
}
