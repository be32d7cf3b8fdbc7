package io.verbena.bench.path;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.Image;
import io.aeron.ImageFragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;

/**
 * Aeron: a publication and an image a direction, and an assembler where a message is more than one fragment. The rest
 * is Aeron's defaults, but for terms of 16 MiB, or 4 MiB from messages of 4 KiB on, or what the message needs, touched
 * beforehand; and MTUs that hold a message where they can.
 *
 * <p>IPC has one driver, at the near end. UDP has one at each end, which the end's thread runs, as it does the client:
 * no other thread spins or has to be woken.
 */
final class AeronEnd extends End {
    private static final int TO_FAR = 1001;
    private static final int TO_NEAR = 1002;
    private static final int CLIENT_MASK = 1023;

    /** How. */
    enum Mode {
        IPC_EXCLUSIVE,
        IPC_CONCURRENT,
        UDP
    }

    private final @Nullable AeronDriver driver;
    private final @Nullable AgentInvoker invoker;
    private final @Nullable AgentInvoker client;
    private final Aeron aeron;
    private final AeronSender sender;
    private final Image image;
    private final FragmentHandler handler;
    private int turns;

    AeronEnd(Rendezvous rendezvous, boolean near, Mode mode, PathSettings settings) {
        super(settings);
        Aeron.Context context = new Aeron.Context();
        if (mode == Mode.UDP) {
            AeronDriver own = AeronDriver.invoked(length);
            driver = own;
            invoker = own.invoker();
            aeron = Aeron.connect(context.aeronDirectoryName(own.directory())
                    .useConductorAgentInvoker(true)
                    .driverAgentInvoker(invoker));
            client = aeron.conductorAgentInvoker();
        } else {
            driver = near ? AeronDriver.shared(length) : null;
            if (driver != null) {
                rendezvous.tell(driver.directory());
            }
            String directory = driver != null ? driver.directory() : rendezvous.hear(() -> {});
            aeron = Aeron.connect(context.aeronDirectoryName(directory));
            invoker = null;
            client = null;
        }
        int in = near ? TO_NEAR : TO_FAR;
        int out = near ? TO_FAR : TO_NEAR;
        Subscription subscription;
        Publication publication;
        if (mode == Mode.UDP) {
            subscription = aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0", in);
            rendezvous.tell(endpoint(subscription));
            publication = aeron.addExclusivePublication("aeron:udp?endpoint=" + rendezvous.hear(this::drive), out);
        } else {
            subscription = aeron.addSubscription(CommonContext.IPC_CHANNEL, in);
            publication = mode == Mode.IPC_EXCLUSIVE
                    ? aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, out)
                    : aeron.addPublication(CommonContext.IPC_CHANNEL, out);
        }
        WaitLimit deadline = WaitLimit.ofSeconds(10, "connection over Aeron");
        while (!publication.isConnected() || subscription.hasNoImages()) {
            drive();
            deadline.run();
        }
        image = subscription.imageAtIndex(0);
        sender = new AeronSender(publication, length);
        FragmentHandler whole = this::onMessage;
        handler = length > publication.maxPayloadLength() ? new ImageFragmentAssembler(whole, length) : whole;
        if (near) {
            openProducers(index -> new Sharing(publication, index), () -> {});
        }
        rendezvous.meet(this::drive);
    }

    private String endpoint(Subscription subscription) {
        WaitLimit deadline = WaitLimit.ofSeconds(10, "port for Aeron");
        String endpoint = subscription.resolvedEndpoint();
        while (endpoint == null) {
            drive();
            deadline.run();
            endpoint = subscription.resolvedEndpoint();
        }
        return endpoint;
    }

    /** Runs what has no thread of its own; the client now and then, for it only keeps itself alive. */
    private void drive() {
        if (invoker != null && client != null) {
            invoker.invoke();
            if ((++turns & CLIENT_MASK) == 0 || turns < CLIENT_MASK) {
                client.invoke();
            }
        }
    }

    @Override
    public boolean offer(long number) {
        return sender.offer(number);
    }

    @Override
    public void flush() {
        drive();
    }

    @Override
    int receive(int limit) {
        long before = taken();
        drive();
        image.poll(handler, limit);
        return (int) (taken() - before);
    }

    private void onMessage(DirectBuffer buffer, int offset, int bytes, Header header) {
        Stamp.checkLength(bytes, length);
        accept(Stamp.get(buffer, offset, length));
    }

    @Override
    public void close() {
        super.close();
        aeron.close();
        if (driver != null) {
            driver.close();
        }
    }

    /** Another thread on the same publication. */
    private final class Sharing extends Producer {
        private final AeronSender own;
        private final long lane;

        Sharing(Publication publication, int index) {
            super(settings.waiting());
            own = new AeronSender(publication, length);
            lane = (long) index << LANE_SHIFT;
        }

        @Override
        public boolean offer(long number) {
            return own.offer(lane | number);
        }
    }
}
