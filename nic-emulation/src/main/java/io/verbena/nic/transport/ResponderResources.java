package io.verbena.nic.transport;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AtomicAckEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import org.agrona.MutableDirectBuffer;

/**
 * What a responder keeps of the last READs and atomics ({@code max_dest_rd_atomic} of them): enough to send their
 * answers as slowly as the arbiter says, and to answer a duplicate without executing it again.
 *
 * <p>A ring: the newest entry replaces the oldest, which has been answered for as long as the requester keeps to its
 * {@code max_rd_atomic}.
 */
final class ResponderResources {
    private static final int READ = 1;
    private static final int ATOMIC = 2;

    private int[] kind = new int[0];
    private int[] first = new int[0];
    private int[] last = new int[0];
    private int[] key = new int[0];
    private long[] value = new long[0]; // remote offset of a READ, original value of an atomic
    private int[] length = new int[0];
    private int[] sent = new int[0]; // bytes of a READ's answer that are sent

    private long added; // entries ever
    private long answer; // the entry whose answer is sent next; == added: none
    private long fresh; // the first entry that was never answered whole
    private int outcome;

    void reset(int count) {
        if (kind.length != count) {
            kind = new int[count];
            first = new int[count];
            last = new int[count];
            key = new int[count];
            value = new long[count];
            length = new int[count];
            sent = new int[count];
        }
        added = 0;
        answer = 0;
        fresh = 0;
    }

    boolean hasPending() {
        return answer < added;
    }

    int outcome() {
        return outcome;
    }

    /**
     * Whether an entry can be added without losing an answer that has not been sent. Answers that are sent once more,
     * to a duplicate, do not count: who asks for something new has got the oldest.
     */
    boolean hasFree() {
        return kind.length > 0 && added - fresh < kind.length;
    }

    /** Place of a new entry; the oldest leaves, also if it was about to be sent once more. */
    private int add() {
        int i = (int) (added++ % kind.length);
        answer = Math.max(answer, added - kind.length);
        return i;
    }

    private void answered() {
        answer++;
        fresh = Math.max(fresh, answer);
    }

    void addRead(int firstPsn, int lastPsn, int rkey, long offset, int bytes) {
        int i = add();
        kind[i] = READ;
        first[i] = firstPsn;
        last[i] = lastPsn;
        key[i] = rkey;
        value[i] = offset;
        length[i] = bytes;
        sent[i] = 0;
    }

    void addAtomic(int psn, long original) {
        int i = add();
        kind[i] = ATOMIC;
        first[i] = psn;
        last[i] = psn;
        value[i] = original;
    }

    /**
     * Answers a READ again, from its beginning or from a later packet on, and all after it.
     *
     * @return false if it is not kept
     */
    boolean repeatRead(int psn, int rkey, long offset, int bytes, int mtu) {
        long index = find(psn, READ);
        if (index < 0) {
            return false;
        }
        int i = (int) (index % kind.length);
        long done = (long) Psn.diff(psn, first[i]) * mtu;
        if (key[i] != rkey || value[i] + done != offset || length[i] - done != bytes) {
            return false; // not the request that was executed under this PSN
        }
        repeatFrom(index, (int) done);
        return true;
    }

    /**
     * Answers an atomic again, and all after it.
     *
     * @return false if it is not kept
     */
    boolean repeatAtomic(int psn) {
        long index = find(psn, ATOMIC);
        if (index >= 0) {
            repeatFrom(index, 0);
        }
        return index >= 0;
    }

    private long find(int psn, int wanted) {
        for (long index = added - 1; index >= 0 && index >= added - kind.length; index--) {
            int i = (int) (index % kind.length);
            if (kind[i] == wanted && Psn.within(psn, first[i], last[i])) {
                return index;
            }
        }
        return -1;
    }

    private void repeatFrom(long index, int bytes) {
        int i = (int) (index % kind.length);
        if (index < answer) {
            answer = index;
            sent[i] = bytes;
            for (long later = index + 1; later < added; later++) {
                sent[(int) (later % kind.length)] = 0;
            }
        } else if (index == answer) {
            sent[i] = Math.min(sent[i], bytes);
        }
    }

    /** Sends answers up to a budget. {@link #outcome} says why it ended. */
    int transmit(QpContext qp, TransportServices services, int budget, int messages) {
        int spent = 0;
        Path path = qp.path();
        Link link = path == null ? null : path.link();
        while (hasPending()) {
            if (spent >= budget) {
                outcome = QpContext.MORE;
                return spent;
            }
            if (path == null || link == null || link.state() != Link.State.UP) {
                outcome = QpContext.BLOCKED;
                return spent;
            }
            int i = (int) (answer % kind.length);
            long before = answer;
            int bytes = kind[i] == ATOMIC
                    ? atomicAnswer(qp, link, i, messages)
                    : readAnswer(qp, services, link, i, messages);
            if (bytes == Link.NO_ROOM) {
                outcome = QpContext.BLOCKED;
                return spent;
            }
            if (answer != before) {
                qp.answered();
            }
            services.touch(path);
            spent += bytes + path.overhead();
        }
        outcome = QpContext.IDLE;
        return spent;
    }

    private int atomicAnswer(QpContext qp, Link link, int i, int messages) {
        Opcode opcode = Opcode.ATOMIC_ACKNOWLEDGE;
        int at = link.claim(opcode.headerLength());
        if (at == Link.NO_ROOM) {
            return Link.NO_ROOM;
        }
        MutableDirectBuffer b = link.buffer();
        BthFlyweight.encode(b, at, opcode.code(), 0, qp.peerQp(), first[i], qp.number());
        AethFlyweight.encode(b, at + opcode.aethOffset(), AethSyndrome.ACK, messages);
        AtomicAckEthFlyweight.original(b, at + opcode.atomicAckEthOffset(), value[i]);
        link.commit();
        answered();
        return opcode.headerLength();
    }

    private int readAnswer(QpContext qp, TransportServices services, Link link, int i, int messages) {
        int offset = sent[i];
        int bytes = Math.min(length[i] - offset, qp.pathMtu());
        boolean end = offset + bytes == length[i];
        Opcode opcode = offset == 0
                ? end ? Opcode.READ_RESPONSE_ONLY : Opcode.READ_RESPONSE_FIRST
                : end ? Opcode.READ_RESPONSE_LAST : Opcode.READ_RESPONSE_MIDDLE;
        MemoryRegion region = bytes == 0 ? null : services.remoteRegion(key[i], qp.number());
        boolean gone = bytes > 0
                && (region == null
                        || region.check(qp.pd(), value[i], length[i], Access.REMOTE_READ) != MemoryRegion.OK);
        gone |= opcode.headerLength() + bytes > link.maxPacket();
        int headers = gone ? Opcode.ACKNOWLEDGE.headerLength() : opcode.headerLength();
        int at = gone || region == null
                ? link.claim(headers)
                : link.claim(headers, region.buffer(), (int) value[i] + offset, bytes);
        if (at == Link.NO_ROOM) {
            return Link.NO_ROOM;
        }
        MutableDirectBuffer b = link.buffer();
        int psn = Psn.add(first[i], offset / qp.pathMtu());
        if (gone) { // deregistered since the request came, or more than the link carries
            BthFlyweight.encode(b, at, Opcode.ACKNOWLEDGE.code(), 0, qp.peerQp(), psn, qp.number());
            int syndrome =
                    region == null || region.check(qp.pd(), value[i], length[i], Access.REMOTE_READ) != MemoryRegion.OK
                            ? AethSyndrome.REMOTE_ACCESS_ERROR
                            : AethSyndrome.REMOTE_OPERATIONAL_ERROR;
            AethFlyweight.encode(b, at + Opcode.ACKNOWLEDGE.aethOffset(), syndrome, messages);
            link.commit();
            if (answer < fresh) {
                // Answered before: a late copy, whose asker has what it wanted, must not cost the connection. If the
                // answer was lost, the NAK tells the asker.
                answer++;
            } else {
                answer = added;
                fresh = added;
                qp.error();
            }
            return headers;
        }
        BthFlyweight.encode(b, at, opcode.code(), 0, qp.peerQp(), psn, qp.number());
        if (opcode.aethOffset() != Opcode.ABSENT) {
            AethFlyweight.encode(b, at + opcode.aethOffset(), AethSyndrome.ACK, messages);
        }
        link.commit();
        sent[i] = offset + bytes;
        if (end) {
            answered();
        }
        return headers + bytes;
    }
}
