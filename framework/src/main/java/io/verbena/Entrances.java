package io.verbena;

import io.verbena.admin.AdminSocket;
import io.verbena.connection.LocalNode;
import io.verbena.link.Links;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Where others reach a node: the addresses that it listens on, and the administrator's socket. Thread-safe. */
final class Entrances {
    private final Node node;
    private final LocalNode self;
    private final Links links;
    private final List<String> addresses = new CopyOnWriteArrayList<>();

    private volatile @Nullable AdminSocket admin;

    Entrances(Node node, LocalNode self, Links links) {
        this.node = node;
        this.self = self;
        this.links = links;
    }

    /** Listens on an address. @return it as bound */
    String listen(Address address) {
        node.checkOpen();
        String bound = address.scheme() == Address.Scheme.LOCAL
                ? self.listen(address)
                : links.listen(address).toString();
        addresses.add(bound);
        return bound;
    }

    /** The addresses as bound, in the order in which they were given. */
    List<String> addresses() {
        return List.copyOf(addresses);
    }

    /** Makes the administrator's socket. */
    void openAdmin(Path socket) {
        admin = AdminSocket.open(node.name(), node.clock(), node.tenants().administered(), socket);
    }

    /** Closes the administrator's socket, if there is one. Idempotent. */
    void closeAdmin() {
        AdminSocket socket = admin;
        if (socket != null) {
            socket.close();
        }
    }
}
