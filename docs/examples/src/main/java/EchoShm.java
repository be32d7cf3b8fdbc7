/** The echo by shared memory, with another process of this user on this host. */
public final class EchoShm {
    public static void main(String[] args) throws Exception {
        String listen = "shm:echo-" + ProcessHandle.current().pid();
        String name = "echo-" + ProcessHandle.current().pid();
        try (OtherProcess server = new OtherProcess(Echo.class, name, listen)) {
            Echo.run(server.line());
        }
    }
}
