package io.verbena.fabric.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.LocalUser;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process of another user at a Unix-domain socket that any user can open: it is judged by whom the kernel names.
 * Needs root, which can run such a process.
 */
@Timeout(180)
class OtherUserTest {
    private static final int OTHER = 65534;
    private static final int NEITHER = 12345;

    @TempDir
    Path directory;

    /** Says a hello, and prints what it is answered. Uses nothing but the JDK: the other user sees no more. */
    static final class Client {
        private Client() {}

        public static void main(String[] arguments) throws IOException {
            byte[] hello = HexFormat.of().parseHex(arguments[1]);
            ByteBuffer answer = ByteBuffer.allocate(hello.length);
            try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(arguments[0]))) {
                socket.write(ByteBuffer.wrap(hello));
                while (answer.hasRemaining() && socket.read(answer) >= 0) {}
            }
            System.out.print(HexFormat.of().formatHex(answer.array()));
        }
    }

    private static String asOther(String... command) throws Exception {
        List<String> words =
                new ArrayList<>(List.of("setpriv", "--reuid=" + OTHER, "--regid=" + OTHER, "--clear-groups"));
        words.addAll(List.of(command));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0 ? output : "failed: " + output;
    }

    /** Whether the other user's process is answered as who is let in: not with a refusal. */
    private boolean isAnswered(Path classes, Peer server, String name) throws Exception {
        Path socket = directory.resolve(name);
        server.fabric.listen(UnixDomainSocketAddress.of(socket));
        byte[] hello = new byte[HelloFlyweight.HEADER_LENGTH];
        HelloFlyweight.encode(new UnsafeBuffer(hello), HelloFlyweight.CALL, 66, 0, 0, 16 * 1024, 0, "");
        String answer = asOther(
                java().toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes.toString(),
                Client.class.getName(),
                socket.toString(),
                HexFormat.of().formatHex(hello));
        UnsafeBuffer answered = new UnsafeBuffer(HexFormat.of().parseHex(answer));
        if (HelloFlyweight.stepDefect(answered, HelloFlyweight.ANSWER) == null) {
            return true;
        }
        assertThat(HelloFlyweight.stepDefect(answered, HelloFlyweight.REFUSAL)).isNull();
        return false;
    }

    private static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** A directory of classes with the client's alone, which any user can read. */
    private Path classes() throws Exception {
        String file = Client.class.getName().replace('.', '/') + ".class";
        Path classes = directory.resolve("classes");
        Path target = classes.resolve(file);
        Files.createDirectories(target.getParent());
        try (var bytes = Client.class.getClassLoader().getResourceAsStream(file)) {
            Files.copy(bytes, target);
        }
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        assumeTrue(LocalUser.own() == 0, "only root can run a process of another user");
        String seen = asOther("sh", "-c", "test -x '" + java() + "' && cat '" + target + "' > /dev/null && echo seen");
        assumeTrue(seen.equals("seen\n"), () -> "another user cannot read " + target + " or run java: " + seen);
        return classes;
    }

    @Test
    void isLetInIfItIsAllowed() throws Exception {
        assumeTrue(SocketTransport.EPOLL.isAvailable(), "only epoll tells which user it is");
        Path classes = classes();
        try (Peer open = new Peer(
                        1, SocketTransport.EPOLL, NettyFabricTest.quick().allowedUsers(Set.of(NEITHER, OTHER)));
                Peer shut = new Peer(
                        2, SocketTransport.EPOLL, NettyFabricTest.quick().allowedUsers(Set.of(NEITHER)))) {
            assertThat(isAnswered(classes, open, "open")).isTrue();
            assertThat(isAnswered(classes, shut, "shut")).isFalse();
            assertThat(shut.node.nextRejection()).contains("peer runs as user " + OTHER + ", this process as 0");
            assertThat(shut.node.links).isEmpty();
        }
    }

    @Test
    void isRefusedWhereNobodyCanTellWhoItIs() throws Exception {
        Path classes = classes();
        try (Peer server =
                new Peer(1, SocketTransport.NIO, NettyFabricTest.quick().allowedUsers(Set.of(OTHER)))) {
            assertThat(isAnswered(classes, server, "nio")).isFalse();
            assertThat(server.node.nextRejection()).contains("only Netty's epoll library can tell");
        }
    }
}
