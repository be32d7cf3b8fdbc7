package io.verbena.bench.tenants;

import io.verbena.nic.port.Link;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.verification.fabric.FabricNode;
import java.util.Random;
import org.agrona.MutableDirectBuffer;

/**
 * A peer whose packets are well formed and belong to nothing: any opcode, numbers of queue pairs that exist and of some
 * that do not, any sequence number and key; as many as its link takes.
 */
final class SenselessPackets implements Attack {
    private static final int PACKETS_PER_TURN = 64;
    private static final int QUEUE_PAIRS = 32;
    private static final int PAYLOAD = 1024;
    private static final Opcode[] OPCODES = Opcode.values();

    private final AttackedNic target;
    private final FabricNode node;
    private final Random random = new Random(1);
    private int sent;

    SenselessPackets(AttackedNic target) {
        this.target = target;
        this.node = target.peer();
    }

    @Override
    public int turn() {
        if (!node.isLinked(target.nicId())) {
            target.connect(node);
        }
        sent = 0;
        node.engine().call(this::send);
        return sent;
    }

    private void send() {
        Link link = node.engine().path(target.nicId()).link();
        if (link == null) {
            return;
        }
        while (sent < PACKETS_PER_TURN) {
            Opcode opcode = OPCODES[random.nextInt(OPCODES.length)];
            int payload = opcode.hasPayload() ? 1 + random.nextInt(PAYLOAD) : 0;
            int at = link.claim(opcode.headerLength() + payload);
            if (at == Link.NO_ROOM) {
                break;
            }
            write(link.buffer(), at, opcode);
            link.commit();
            sent++;
        }
        link.flush();
    }

    private void write(MutableDirectBuffer buffer, int at, Opcode opcode) {
        for (int i = BthFlyweight.LENGTH; i < opcode.headerLength(); i += Integer.BYTES) {
            buffer.putInt(at + i, random.nextInt());
        }
        int flags = random.nextInt() & BthFlyweight.FLAGS;
        int from = random.nextInt(QUEUE_PAIRS);
        BthFlyweight.encode(buffer, at, opcode.code(), flags, random.nextInt(QUEUE_PAIRS), random.nextInt(), from);
        if (opcode.aethOffset() != Opcode.ABSENT) {
            int syndrome = random.nextBoolean() ? AethSyndrome.ACK : AethSyndrome.PSN_SEQUENCE_ERROR;
            AethFlyweight.encode(buffer, at + opcode.aethOffset(), syndrome, random.nextInt() & AethFlyweight.MSN_MASK);
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
