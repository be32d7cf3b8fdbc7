package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyDescriptor;

/** Counters: strings that are numbers. Single-threaded, as the shard that owns it. */
final class CounterOperations {
    private final Execution e;
    private final ExtendedFloat sum = new ExtendedFloat();
    private final ExtendedFloat increment = new ExtendedFloat();

    CounterOperations(Execution execution) {
        e = execution;
    }

    void execute(KvOp op) {
        switch (op) {
            case INCR -> add(1);
            case DECR -> add(-1);
            case INCRBY -> {
                if (e.integer(1)) {
                    add(e.number());
                }
            }
            case DECRBY -> {
                if (e.integer(1)) {
                    if (e.number() == Long.MIN_VALUE) {
                        e.error(Errors.DECREMENT_OVERFLOW);
                    } else {
                        add(-e.number());
                    }
                }
            }
            case INCRBYFLOAT -> addFloat();
            default -> throw new IllegalStateException(op.name());
        }
    }

    private void add(long increment) {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.add(0, ValueType.STRING, ValueType.INT, increment);
            e.reply.integer(increment);
            return;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return;
        }
        boolean number = e.keyspace.encoding(entry) == ValueType.INT;
        long value;
        if (number) {
            value = e.keyspace.value(entry);
        } else {
            e.view(entry);
            if (!e.decimals.parse(e.view.buffer, e.view.offset, e.view.length)) {
                e.error(Errors.NOT_AN_INTEGER);
                return;
            }
            value = e.decimals.value();
        }
        long result = value + increment;
        // Overflow: both have one sign and the result the other.
        if (((value ^ result) & (increment ^ result)) < 0) {
            e.error(Errors.OVERFLOW);
            return;
        }
        if (!number) {
            e.keyspace.releaseValue(entry);
        }
        e.keyspace.value(entry, ValueType.INT, result);
        e.reply.integer(result);
    }

    private void addFloat() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            sum.set(0);
        } else {
            if (!e.hasType(entry, ValueType.STRING)) {
                return;
            }
            e.view(entry);
            if (!sum.parse(e.view.buffer, e.view.offset, e.view.length)) {
                e.error(Errors.NOT_A_FLOAT);
                return;
            }
        }
        if (!increment.parse(e.in, e.at(1), e.length(1))) {
            e.error(Errors.NOT_A_FLOAT);
            return;
        }
        sum.add(increment);
        if (sum.isInfinite()) {
            e.error(Errors.NAN_OR_INFINITY);
            return;
        }
        int length = sum.put(e.doubleText, e.scratch, 0);
        e.requireReplyRoom(ReplyDescriptor.textLength(length));
        // The result stays a text even where it is a whole number.
        long block = e.values.strings().create(e.scratch, 0, length);
        byte encoding = StringOperations.blockEncoding(length);
        if (entry == Memory.NULL) {
            e.addOrRelease(0, ValueType.STRING, encoding, block);
        } else {
            e.keyspace.releaseValue(entry);
            e.keyspace.value(entry, encoding, block);
        }
        e.reply.bulk(e.scratch, 0, length);
    }
}
