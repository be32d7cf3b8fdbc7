/** The echo over TCP; port 0 takes a free one. */
public final class EchoTcp {
    public static void main(String[] args) throws Exception {
        String listen = "tcp://127.0.0.1:0";
        String name = "echo-server";
        try (OtherProcess server = new OtherProcess(Echo.class, name, listen)) {
            Echo.run(server.line());
        }
    }
}
