package io.verbena.papers.etc;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.papers.receive.ReceiveScheme;
import io.verbena.papers.receive.SchemeAddress;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.FabricNode;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A process of senders, as the consumer sees it: it is connected step by step, while others may send. For one thread.
 */
final class SenderGroup implements AutoCloseable {
    private static final int CONNECT_SECONDS = 40;
    private static final int DEATH_SECONDS = 10;
    private static final String BYE = "bye";

    private enum State {
        STARTING,
        LINKING,
        ANSWERING,
        CONNECTED
    }

    private final int first;
    private final ReceiveScheme receiver;
    private final FabricNode node;
    private final JavaProcess process;
    private final Rendezvous rendezvous;
    private final WaitLimit connected = WaitLimit.ofSeconds(CONNECT_SECONDS, "connection with a process of senders");
    private State state = State.STARTING;
    private long nic;
    private int answers;
    private long @Nullable [] account;

    /**
     * Starts the process.
     *
     * @param first number of its first sender: as many as that were invited before
     * @param address where the node listens
     */
    SenderGroup(
            EtcSetting setting,
            int first,
            ReceiveScheme receiver,
            FabricNode node,
            String address,
            Acknowledged acknowledged) {
        this.first = first;
        this.receiver = receiver;
        this.node = node;
        process = new JavaProcess(EtcProcess.class, List.of(EtcProcess.SENDERS, setting.json(), String.valueOf(first)));
        rendezvous = Rendezvous.withChild(process.process());
        rendezvous.tell(String.valueOf(node.nic().id()));
        rendezvous.tell(address);
        rendezvous.tell(acknowledged.file().toString());
    }

    /** Goes on with connecting. @return whether it is done */
    boolean connect() {
        if (state == State.CONNECTED) {
            return true;
        }
        connected.check();
        if (state == State.LINKING) {
            if (node.isLinked(nic)) {
                rendezvous.tell(receiver.invite().toText());
                state = State.ANSWERING;
            }
            return false;
        }
        String line = heard();
        if (line == null) {
            return false;
        }
        if (state == State.STARTING) {
            nic = Long.parseLong(line);
            state = State.LINKING;
            return false;
        }
        receiver.accept(SchemeAddress.parse(line));
        if (++answers < EtcSetting.SENDERS_EACH) {
            rendezvous.tell(receiver.invite().toText());
            return false;
        }
        state = State.CONNECTED;
        return true;
    }

    private @Nullable String heard() {
        String line = rendezvous.heard();
        if (line == null && rendezvous.isOver()) {
            throw new RunException("the process of sender " + first + " is gone");
        }
        return line;
    }

    /** Number of its first sender. */
    int first() {
        return first;
    }

    /** Lets its senders begin. Times are those of {@link System#nanoTime}. */
    void start(long begin, long end) {
        rendezvous.tell(begin + " " + end);
    }

    /**
     * Lets its senders send without a pause, so that whenever it is killed it is likely to be in the middle of a
     * message.
     */
    void hurry() {
        rendezvous.tell(SenderProcess.HURRY);
    }

    /** Kills it, as {@code kill -9} does. It is dead when this returns. */
    void kill() {
        Process victim = process.process();
        victim.destroyForcibly();
        if (!Waits.end(victim, DEATH_SECONDS)) {
            throw new RunException("process " + victim.pid() + " has outlived kill -9 by " + DEATH_SECONDS + " s");
        }
    }

    /** Closes the receiver's queue pairs with it. */
    void dismiss() {
        for (int i = 0; i < EtcSetting.SENDERS_EACH; i++) {
            receiver.dismiss(first + i);
        }
    }

    /**
     * What it says when it is through: what each sender sent, what all did not send, how often they were told to wait.
     */
    long @Nullable [] account() {
        if (account == null) {
            String line = heard();
            if (line != null) {
                account = Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray();
            }
        }
        return account;
    }

    void bye() {
        rendezvous.tell(BYE);
    }

    /** Whether it has nothing more to say, and may be awaited. */
    boolean isOver() {
        return rendezvous.isOver();
    }

    void await(double seconds) {
        process.await(seconds);
    }

    @Override
    public void close() {
        process.close();
    }
}
