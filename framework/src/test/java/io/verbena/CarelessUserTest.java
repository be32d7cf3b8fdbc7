package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that share everything: each uses, closes and makes anew what another is using, in any order, twice, and in
 * the end the nodes under all of it. Each call ends, by a result or by an exception that says what was wrong.
 */
@Timeout(180)
class CarelessUserTest {
    private static final int THREADS = 5;
    private static final int STEPS = 400; // a thread
    private static final int THINGS = 20;
    private static final int NAMES = 3;
    private static final int MAX_MESSAGE = 50_000;
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final long JOIN_MILLIS = TimeUnit.SECONDS.toMillis(60);

    private final AtomicReferenceArray<AutoCloseable> things = new AtomicReferenceArray<>(THINGS);
    private final Set<String> wrong = new ConcurrentSkipListSet<>();

    static Stream<Arguments> nodes() {
        return Stream.of(Fabric.values())
                .flatMap(fabric ->
                        Stream.of(NodeMode.ASSISTED, NodeMode.THREAD).map(mode -> Arguments.of(fabric, mode)));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void nothingBreaks(Fabric fabric, NodeMode mode) throws InterruptedException {
        try (Node server = launch(fabric, mode);
                Node client = launch(fabric, mode)) {
            String address = fabric.listen(server) + "/";
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                boolean last = i == 0;
                Thread thread = new Thread(() -> {
                    User user = new User(server, client, address, random);
                    for (int step = 0; step < STEPS; step++) {
                        judged(user::step);
                    }
                    if (last) { // while the others go on
                        judged(client::close);
                        judged(server::close);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join(JOIN_MILLIS);
                assertThat(thread.isAlive())
                        .as("%s", List.of(thread.getStackTrace()))
                        .isFalse();
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static Node launch(Fabric fabric, NodeMode mode) {
        return Node.launch(
                fabric.context(mode).peerTimeout(Duration.ofSeconds(1)).linger(SHORT));
    }

    private interface Action {
        void run() throws Exception;
    }

    private void judged(Action action) {
        try {
            action.run();
        } catch (IllegalStateException | ConnectionException | RemoteMemoryException e) {
            expect(e, e.getMessage() != null && !e.getMessage().isBlank());
        } catch (IllegalArgumentException e) { // the arguments are right, but for names that are taken
            expect(e, String.valueOf(e.getMessage()).contains("has something of the name"));
        } catch (Exception | Error e) {
            expect(e, false);
        }
    }

    private void expect(Throwable e, boolean isRight) {
        if (!isRight) {
            wrong.add(e + " at " + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)));
        }
    }

    /** One thread's choices. */
    private final class User {
        private final Node server;
        private final Node client;
        private final String address;
        private final SplittableRandom random;
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[MAX_MESSAGE]);

        User(Node server, Node client, String address, SplittableRandom random) {
            this.server = server;
            this.client = client;
            this.address = address;
            this.random = random;
        }

        void step() throws Exception {
            int at = random.nextInt(THINGS);
            AutoCloseable thing = things.get(at);
            int lot = random.nextInt(20);
            if (thing == null) {
                things.set(at, made());
            } else if (lot == 0) {
                thing.close(); // and it is used on
            } else if (lot == 1) {
                things.set(at, null);
                thing.close();
            } else {
                use(thing);
            }
        }

        private AutoCloseable made() {
            int name = random.nextInt(NAMES);
            switch (random.nextInt(6)) {
                case 0:
                    Inbox inbox = server.openInbox(
                            "in" + name,
                            new InboxOptions().chunkLength(64 << 10).maxMessage(MAX_MESSAGE));
                    if (random.nextBoolean()) {
                        inbox.onMessage(m -> m.buffer().getByte(m.offset()));
                    }
                    return inbox;
                case 1:
                    return server.share("memory" + name, 1 << 16);
                case 2:
                    Responder responder = server.openResponder("echo" + name);
                    responder.onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));
                    return responder;
                case 3:
                    return client.attach(address + "memory" + name, SHORT);
                case 4:
                    return client.openRequester();
                default:
                    return client.connect(address + "in" + name, SHORT);
            }
        }

        private void use(AutoCloseable thing) {
            if (thing instanceof Channel) {
                use((Channel) thing);
            } else if (thing instanceof Inbox) {
                use((Inbox) thing);
            } else if (thing instanceof RemoteRegion) {
                use((RemoteRegion) thing);
            } else if (thing instanceof Requester) {
                use((Requester) thing);
            } else if (thing instanceof HeldMessage) {
                ((HeldMessage) thing).release();
            }
            assertThat(thing.toString()).isNotBlank();
        }

        private void use(Channel channel) {
            switch (random.nextInt(5)) {
                case 0:
                    channel.weight(1 + random.nextInt(5));
                    break;
                case 1:
                    int claim = channel.tryClaim(100);
                    if (claim >= 0) {
                        channel.claimBuffer().setMemory(claim, 100, (byte) 1);
                        channel.commit();
                    }
                    break;
                case 2:
                    channel.enqueue(buffer, 0, random.nextInt(3000));
                    channel.flush();
                    break;
                default:
                    channel.offer(buffer, 0, random.nextInt(random.nextInt(10) == 0 ? MAX_MESSAGE : 300));
            }
        }

        private void use(Inbox inbox) {
            if (random.nextInt(3) == 0) {
                inbox.poll(m -> things.compareAndSet(random.nextInt(THINGS), null, m.hold()), 1);
            } else {
                inbox.poll(m -> m.buffer().getByte(m.offset()), 100);
            }
            assertThat(inbox.statistics()).isNotNull();
        }

        private void use(RemoteRegion region) {
            switch (random.nextInt(3)) {
                case 0:
                    region.write(0, buffer, 0, 40_000, 0, (id, outcome, value) -> {});
                    break;
                case 1:
                    region.read(0, buffer, 0, 1000, SHORT);
                    break;
                default:
                    region.fetchAndAdd(8, 1, SHORT);
            }
            region.poll(10);
        }

        private void use(Requester requester) {
            Channel channel = requester.connect(address + "echo" + random.nextInt(NAMES), SHORT);
            requester.call(channel, buffer, 0, 100, SHORT, 0, r -> {});
            requester.poll(10);
        }
    }
}
