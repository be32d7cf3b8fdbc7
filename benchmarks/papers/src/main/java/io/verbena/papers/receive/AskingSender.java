package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcOpcode;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntArrayQueue;

/**
 * The sender of {@link OnDemandLarge.Form#ALLOCATE_AND_RETURN}: asks for memory, and writes when it is told where.
 * Later messages pass those that wait.
 */
final class AskingSender extends SenderEnd {
    private static final int NOBODY = -1;

    private final int cut;
    private final int largest;
    private final MemoryRegion answers;
    private final ControlMessage control = new ControlMessage();
    private final IntArrayList free = new IntArrayList();
    private final IntArrayQueue granted = new IntArrayQueue(NOBODY); // not written yet
    private final long[] pieces;
    private final int[] lengths;
    private final int[] remotePlaces;
    private final int[] keys;

    AskingSender(Nic nic, SchemeSettings settings, int cut, int largest, int places) {
        super(nic, settings, 1, places);
        this.cut = cut;
        this.largest = largest;
        answers = domain.allocate(places * ControlMessage.LENGTH, Access.LOCAL_WRITE);
        pieces = new long[places];
        lengths = new int[places];
        remotePlaces = new int[places];
        keys = new int[places];
        for (int i = places - 1; i >= 0; i--) {
            free.addInt(i);
        }
    }

    @Override
    long[] connected(SchemeAddress invitation) {
        for (int i = 0; i < pieces.length; i++) {
            postReceive(i);
        }
        return super.connected(invitation);
    }

    private void postReceive(int slot) {
        lane(0).qp.postReceive(slot, answers.key(), (long) slot * ControlMessage.LENGTH, ControlMessage.LENGTH);
    }

    @Override
    public boolean offer(DirectBuffer buffer, int offset, int length, int number) {
        checkLength(length, largest);
        if (length <= cut) {
            request.sendImmediate(number);
            return postMessage(lane(0), buffer, offset, length);
        }
        if (free.isEmpty()) {
            return false;
        }
        long piece = claim(length);
        if (piece == SourceRing.NONE) {
            return false;
        }
        source.buffer().putBytes(source.offset(piece), buffer, offset, length);
        int place = free.getInt(free.size() - 1);
        control.put(place, number, length, 0);
        request.send().inline(control.buffer(), 0, ControlMessage.LENGTH).signaled(false);
        if (!post(lane(0), SourceRing.NONE, false)) {
            source.unclaim(piece);
            return false;
        }
        free.removeAt(free.size() - 1);
        pieces[place] = piece;
        lengths[place] = length;
        accepted();
        return true;
    }

    @Override
    void onCompletion(Completion completion) {
        if (completion.opcode() != WcOpcode.RECEIVE) {
            return;
        }
        int slot = (int) completion.wrId();
        int at = slot * ControlMessage.LENGTH;
        int place = ControlMessage.index(answers.buffer(), at);
        remotePlaces[place] = ControlMessage.number(answers.buffer(), at);
        keys[place] = ControlMessage.key(answers.buffer(), at);
        postReceive(slot);
        granted.addInt(place);
    }

    @Override
    void advance() {
        while (!granted.isEmpty()) {
            int place = granted.peekInt();
            request.writeImmediate(keys[place], 0, remotePlaces[place])
                    .local(source.key(), source.offset(pieces[place]), lengths[place])
                    .signaled(false);
            if (!post(lane(0), pieces[place], true)) {
                return;
            }
            granted.removeInt();
            free.addInt(place);
        }
    }

    @Override
    void release() {
        domain.deregister(answers);
    }
}
