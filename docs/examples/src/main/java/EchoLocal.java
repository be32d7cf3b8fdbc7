import io.verbena.Node;
import io.verbena.NodeContext;

/** The echo between two nodes of one process. */
public final class EchoLocal {
    public static void main(String[] args) throws Exception {
        try (Node server = Node.launch(new NodeContext().name("echo-server"))) {
            Echo.serve(server.openInbox("echo"));
            Echo.run("local:echo-server");
        }
    }
}
