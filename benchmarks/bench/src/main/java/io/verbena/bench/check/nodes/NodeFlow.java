package io.verbena.bench.check.nodes;

import io.verbena.Channel;
import io.verbena.CloseReason;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What must be true of the messages of one direction of a channel: each that the channel took comes once, whole and in
 * order, to the inbox that it was connected to; all of them if the channel stays open or was closed by its sender in
 * order, and as many as were acknowledged if it ended otherwise. Knows channels by what is said of them alone.
 *
 * <p>Thread-safe, under itself.
 */
final class NodeFlow {
    /** Bytes before a message's own where nothing beside it tells whose it is. */
    static final int HEADER_LENGTH = 8;

    private static final int SEQUENCE_BITS = 16;
    private static final int MAX_FLOWS = (1 << (31 - SEQUENCE_BITS)) - 1;
    private static final int MAX_MESSAGES = 1 << SEQUENCE_BITS;

    final int number;
    final NodeHost source;
    final NodeHost.Opening target;
    /** Where the peer may answer to, or null. */
    final NodeHost.@Nullable Opening answersAt;
    /** Identity of the sender's NIC. */
    final long senderNic;

    private final long seed;
    private final boolean abrupt;
    private final IntArrayList lengths = new IntArrayList();
    private int received;
    private int unconfirmed;
    private int confirmed;
    private boolean peerClosed;
    private boolean senderClosed;
    private @Nullable Channel sender;
    private @Nullable Channel receiver;
    private @Nullable NodeFlow answers; // the other way, made with the first answer

    /**
     * Nothing was sent yet.
     *
     * @param number of the flow in its walk
     * @param source whose channel sends it, in its present life
     * @param target where messages must come
     * @param answersAt where the peer may answer to, or null
     * @param senderNic identity of the source's NIC
     * @param abrupt whether the sender's node does not linger
     */
    NodeFlow(
            int number,
            NodeHost source,
            NodeHost.Opening target,
            NodeHost.@Nullable Opening answersAt,
            long senderNic,
            long seed,
            boolean abrupt) {
        if (number > MAX_FLOWS) {
            throw new IllegalStateException("more than " + MAX_FLOWS + " channels in one walk");
        }
        this.number = number;
        this.source = source;
        this.target = target;
        this.answersAt = answersAt;
        this.senderNic = senderNic;
        this.seed = seed;
        this.abrupt = abrupt;
    }

    WalkFailure wrong(String what) {
        return new WalkFailure(this + ": " + what);
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /** The channel that sends it. */
    synchronized void sentBy(Channel channel) {
        sender = channel;
    }

    @Nullable
    synchronized Channel sender() {
        return sender;
    }

    /** Whether another message may be begun. */
    synchronized boolean hasRoom() {
        return lengths.size() < MAX_MESSAGES;
    }

    /** A message is about to be sent. @return its place in the flow */
    synchronized int begin(int length) {
        lengths.addInt(length);
        return lengths.size() - 1;
    }

    /** It was not sent after all. */
    synchronized void cancel(int sequence) {
        if (received > sequence) {
            throw wrong("message " + sequence + " was refused, and arrived");
        }
        lengths.removeAt(sequence);
    }

    /**
     * It was taken by the channel, which is therefore in order: what it had said before of acknowledgements counts.
     *
     * @param outstanding messages that it says are not acknowledged
     */
    synchronized void sent(int outstanding) {
        confirmed = Math.max(confirmed, unconfirmed);
        if (outstanding < 0 || outstanding > lengths.size()) {
            throw wrong("outstanding " + outstanding + " of " + lengths.size());
        }
        unconfirmed = lengths.size() - outstanding;
    }

    /** What goes beside a message. */
    int immediate(int sequence) {
        return (number + 1) << SEQUENCE_BITS | sequence;
    }

    static int numberOf(int immediate) {
        return (immediate >>> SEQUENCE_BITS) - 1;
    }

    static int sequenceOf(int immediate) {
        return immediate & (MAX_MESSAGES - 1);
    }

    /** Writes a message, with what tells whose it is in its first bytes. */
    void fillWithHeader(MutableDirectBuffer b, int at, int sequence, int length) {
        b.putInt(at, number);
        b.putInt(at + 4, sequence);
        fill(b, at + HEADER_LENGTH, sequence, length - HEADER_LENGTH);
    }

    /** Writes a message. */
    void fill(MutableDirectBuffer b, int at, int sequence, int length) {
        Pattern.fill(b, at, identity(sequence), 0, length);
    }

    private long identity(int sequence) {
        return seed * 31 + ((long) number << SEQUENCE_BITS | sequence) * 0x9E37_79B9L;
    }

    // ---- arriving ---------------------------------------------------------------------------------------------------

    /**
     * A message came.
     *
     * @param at the inbox that it came to
     * @param by the channel that it names, or null
     * @param header bytes of the message that are not its own
     */
    synchronized void arrived(
            NodeHost.Opening at,
            @Nullable Channel by,
            int sequence,
            DirectBuffer b,
            int offset,
            int length,
            int header) {
        if (at != target) {
            throw wrong("message " + sequence + " came to " + at);
        }
        if (sequence != received) {
            throw wrong("message " + sequence + " came, expected " + received
                    + (sequence < received ? ": it came twice" : ": what was before it is lost"));
        }
        if (sequence >= lengths.size() || lengths.getInt(sequence) != length) {
            throw wrong("message " + sequence + " of " + length + " bytes came, sent were " + lengths.size()
                    + (sequence < lengths.size() ? ", this one of " + lengths.getInt(sequence) : ""));
        }
        int bad = Pattern.mismatch(b, offset + header, identity(sequence), 0, length - header);
        if (bad >= 0) {
            throw wrong("byte " + bad + " of message " + sequence + " of " + length + " is wrong");
        }
        Channel before = receiver;
        if (by == null) {
            if (!peerClosed && !senderClosed && !isOver(sender)) {
                throw wrong("message " + sequence + " names no channel, though both ends are open");
            }
        } else if (before == null) {
            receiver = by;
            if (by.peerNic() != senderNic || by.attachment() != null) {
                throw wrong("message " + sequence + " names the channel of another, " + by.attachment() + ", " + by);
            }
            by.attach(this);
        } else if (before != by) {
            throw wrong("message " + sequence + " names " + by + ", those before it " + before);
        }
        received++;
    }

    /** The other end of the channel, once a message has come by it. */
    @Nullable
    synchronized Channel receiver() {
        return receiver;
    }

    /** The way back, made with the first answer. */
    @Nullable
    synchronized NodeFlow answers() {
        return answers;
    }

    /** Sets the way back, which is this one's. */
    synchronized void answers(NodeFlow way) {
        answers = way;
        if (senderClosed) {
            way.peerCloses();
        }
    }

    private static boolean isOver(@Nullable Channel channel) {
        return channel != null && channel.closeReason() != null;
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** The end that sends is about to be closed by its own side. */
    synchronized void senderCloses() {
        senderClosed = true;
        NodeFlow back = answers;
        if (back != null) {
            back.peerCloses();
        }
    }

    /** The other end is about to be closed by its own side. */
    synchronized void peerCloses() {
        peerClosed = true;
    }

    /** Refuses a reason that nothing gave cause for. */
    synchronized void checkReason() {
        Channel channel = sender;
        CloseReason reason = channel == null ? null : channel.closeReason();
        if (reason == null) {
            return;
        }
        boolean legal;
        switch (reason) {
            case CLOSED_HERE:
                legal = senderClosed;
                break;
            case CLOSED_BY_PEER:
            case PEER_LOST:
                legal = peerClosed || target.host.hasGone(target.life);
                break;
            case REFUSED:
                legal = !target.isOpen();
                break;
            case PROTOCOL_ERROR: // what the peer sends is refused here
                legal = isRefused();
                break;
            default:
                legal = false;
        }
        if (!legal) {
            throw wrong("closed: " + reason + ", for which there was no cause");
        }
    }

    /** Messages that must have come and have not. */
    synchronized int owed() {
        if (!target.isOpen()) {
            return 0;
        }
        Channel channel = sender;
        CloseReason reason = channel == null ? null : channel.closeReason();
        boolean inOrder =
                !peerClosed && (reason == null || (reason == CloseReason.CLOSED_HERE && !abrupt && !isRefused()));
        return Math.max(0, (inOrder ? lengths.size() : confirmed) - received);
    }

    /** Whether the channel ends with the next answer, also while it lingers: where that must come is closed. */
    private boolean isRefused() {
        return answersAt != null && !answersAt.isOpen();
    }

    synchronized long received() {
        return received;
    }

    @Override
    public synchronized String toString() {
        return "flow " + number + ' ' + source + " to " + target + ", sent " + lengths.size() + ", confirmed "
                + confirmed + ", received " + received + (sender == null ? "" : ", " + sender.closeReason());
    }
}
