import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.NettyFabric;
import io.verbena.fabric.netty.NettyFabricContext;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;

/** Raw verbs between two processes over TCP: WRITE, FETCH AND ADD and READ, and a SEND that the other side receives. */
public final class Verbs implements AutoCloseable {
    private final EventLoopWaiter waiter = new EventLoopWaiter();
    private final Nic nic = Nic.open(new NicContext().waiters(waiter));
    private final NettyFabric fabric = new NettyFabric(nic.engine(0).endpoint(), new NettyFabricContext(), waiter);
    private final ProtectionDomain pd = nic.allocateProtectionDomain();
    private final CompletionQueue cq = nic.createCompletionQueue(64);
    private final MemoryRegion memory =
            pd.allocate(4096, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC);
    private final QueuePair qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));

    public static void main(String[] args) throws Exception {
        try (Verbs side = new Verbs()) {
            if (args.length > 0) {
                side.serve();
                return;
            }
            try (OtherProcess server = new OtherProcess(Verbs.class, "server")) {
                side.use(server);
            }
        }
    }

    /** The server says what the client needs to know of it, hears the same, and is not asked again until the SEND. */
    private void serve() {
        InetSocketAddress address =
                (InetSocketAddress) fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        System.out.println(address.getPort() + " " + nic.id() + " " + qp.number() + " " + memory.key());
        Scanner client = new Scanner(System.in, java.nio.charset.StandardCharsets.UTF_8);
        qp.connect(client.nextLong(), client.nextInt());
        qp.postReceive(7, memory.key(), 1024, 8);
        System.out.println("ready");
        Completion received = await();
        System.out.println(received.wrId() + " " + received.status() + " " + memory.buffer().getLong(1024));
        client.nextLine();
        client.hasNextLine(); // until the client ends
    }

    private void use(OtherProcess server) throws Exception {
        try (Scanner said = new Scanner(server.line())) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), said.nextInt());
            fabric.connect(address, Duration.ofSeconds(10)).get(10, TimeUnit.SECONDS);
            server.tell(nic.id() + " " + qp.number());
            qp.connect(said.nextLong(), said.nextInt());
            int key = said.nextInt();
            Check.that(server.line().equals("ready"), "the server is not ready");

            SendRequest request = new SendRequest();
            memory.buffer().putLong(0, 42);
            qp.postSend(request.write(key, 0).local(memory.key(), 0, 8).wrId(1));
            expect(1);
            qp.postSend(request.fetchAdd(key, 0, 8).local(memory.key(), 8, 8).wrId(2));
            expect(2);
            qp.postSend(request.read(key, 0).local(memory.key(), 16, 8).wrId(3));
            expect(3);
            Check.that(memory.buffer().getLong(8) == 42, "FETCH AND ADD found " + memory.buffer().getLong(8));
            Check.that(memory.buffer().getLong(16) == 50, "READ found " + memory.buffer().getLong(16));
            qp.postSend(request.send().local(memory.key(), 16, 8).wrId(4));
            expect(4);
            String received = server.line();
            Check.that(received.equals("7 SUCCESS 50"), "the server received " + received);
            System.out.println("wrote 42, added 8, read 50, and the server received it");
        }
    }

    private void expect(long wrId) {
        Completion completion = await();
        Check.that(completion.isSuccess() && completion.wrId() == wrId, "request " + wrId + " ended in " + completion);
    }

    private Completion await() {
        Completion[] one = {new Completion()};
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (cq.poll(one) == 0) {
            Check.that(System.nanoTime() < deadline, "no completion within 10 s");
            Thread.onSpinWait();
        }
        return one[0];
    }

    @Override
    public void close() {
        fabric.close();
        nic.close();
    }
}
