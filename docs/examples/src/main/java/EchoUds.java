/** The echo over a Unix-domain socket. */
public final class EchoUds {
    public static void main(String[] args) throws Exception {
        long pid = ProcessHandle.current().pid();
        String listen = "uds:" + System.getProperty("java.io.tmpdir") + "/echo-" + pid + ".sock";
        String name = "echo-server";
        try (OtherProcess server = new OtherProcess(Echo.class, name, listen)) {
            Echo.run(server.line());
        }
    }
}
