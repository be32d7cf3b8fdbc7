package io.verbena.verification.simulate;

import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.Pattern;
import java.util.Collection;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What must be true of datagrams (UD) from one queue pair to another: each request completes in order; each datagram
 * arrives whole, behind the address of its sender, in any order; once, and where the link duplicates packets at most
 * twice, for there is no PSN that tells a copy. With a wrong Q_Key it never arrives.
 */
final class DatagramChannel extends UnreliableChannel {
    DatagramChannel(PairEnd source, PairEnd target, WalkTally tally) {
        super(source, target, tally);
    }

    @Override
    void deliver(KeptCompletion wc, Receive v) {
        AtomicBuffer own = target.host.memory().local();
        int at = v.at();
        if (AddressHeader.sourceNic(own, at) != source.host.node.nicId()
                || AddressHeader.destinationNic(own, at) != target.host.node.nicId()
                || wc.peerQp() != source.number()
                || wc.length() > v.length()
                || wc.opcode() != WcOpcode.RECEIVE) {
            throw wrong(wc + " of " + v + ", sender is NIC " + Long.toHexString(AddressHeader.sourceNic(own, at)));
        }
        int length = wc.length() - AddressHeader.LENGTH;
        arrived(
                messages,
                r -> isSame(r, own, at + AddressHeader.LENGTH, length, wc.hasImmediate(), wc.immediate()),
                "datagram of " + length + " bytes");
        int beyond = Pattern.unguarded(own, at + wc.length(), target.host.slot - wc.length());
        if (beyond >= 0) {
            throw wrong("byte " + beyond + " behind the end of " + wc + " was written");
        }
    }

    @Override
    void record(int qpNumber, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        arrived(
                records,
                r -> r.peerQp == qpNumber && isSame(r, b, offset, length, hasImmediate, immediate),
                "record of " + length + " bytes");
        tally.add(Event.RECORDS);
    }

    private static boolean isSame(
            ModelRequest r, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        return r.length == length
                && r.verb.immediate == hasImmediate
                && (!hasImmediate || r.immediate == immediate)
                && Pattern.mismatch(b, offset, r.identity, 0, length) < 0;
    }

    /** Of those that it may have been, takes the one that has come least. */
    private void arrived(Collection<ModelRequest> sent, Predicate<ModelRequest> isIt, String what) {
        @Nullable ModelRequest least = null;
        for (ModelRequest r : sent) {
            if ((least == null || r.outcome.arrivals < least.outcome.arrivals) && isIt.test(r)) {
                least = r;
            }
        }
        if (least == null) {
            throw wrong(what + " is nothing that was sent");
        }
        if (++least.outcome.arrivals > (source.pair.wire().copies ? 2 : 1)) {
            throw wrong(what + ", " + least + ", has come " + least.outcome.arrivals + " times");
        }
        tally.add(Event.COPIES, least.outcome.arrivals > 1 ? 1 : 0);
    }

    @Override
    void close(boolean sourceKnown, boolean targetKnown) {
        for (ModelRequest r : records) {
            r.outcome.closed = true;
        }
        super.close(sourceKnown, targetKnown);
    }

    @Override
    boolean isDelivered() {
        return messages.stream().allMatch(r -> r.outcome.arrivals > 0)
                && records.stream().allMatch(r -> r.outcome.closed || r.outcome.arrivals > 0);
    }
}
