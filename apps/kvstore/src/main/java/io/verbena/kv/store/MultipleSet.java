package io.verbena.kv.store;

/**
 * MSET and MSETNX: all keys are set or none. First all that needs memory, the values and the entries of new keys; then
 * what cannot fail. Single-threaded, as the shard that owns it.
 */
final class MultipleSet {
    private final Execution e;
    /** Of each pair the encoding and the value, then its entry. */
    private final LongList encodings = new LongList();

    private final LongList values = new LongList();
    private final LongList entries = new LongList();
    /** The entries that were not there before. */
    private final LongList added = new LongList();

    MultipleSet(Execution execution) {
        e = execution;
    }

    /** Sets each key, which are the even arguments, to the argument behind it. */
    void execute() {
        int pairs = e.argc() / 2;
        boolean complete = false;
        try {
            for (int i = 0; i < pairs; i++) {
                createValue(2 * i + 1);
            }
            for (int i = 0; i < pairs; i++) {
                addKey(2 * i);
            }
            complete = true;
        } finally {
            if (!complete) {
                undo();
            }
        }
        for (int i = 0; i < pairs; i++) {
            long entry = entries.get(i);
            e.keyspace.releaseValue(entry);
            e.keyspace.set(entry, ValueType.STRING, (byte) encodings.get(i), values.get(i));
            e.keyspace.persist(entry);
        }
        clear();
    }

    private void createValue(int argument) {
        int at = e.at(argument);
        int length = e.length(argument);
        boolean number = e.decimals.parse(e.in, at, length);
        // Encoding first: undoing looks at as many as there are values.
        encodings.add(number ? ValueType.INT : StringOperations.blockEncoding(length));
        values.prepareAdd(1);
        values.add(number ? e.decimals.value() : e.values.strings().create(e.in, at, length));
    }

    private void addKey(int argument) {
        added.prepareAdd(1);
        long entry = e.lookupWrite(argument);
        if (entry == Memory.NULL) {
            // A number, which needs no release, until the value comes.
            entry = e.add(argument, ValueType.STRING, ValueType.INT, 0);
            added.add(entry);
        }
        entries.add(entry);
    }

    private void undo() {
        for (int i = 0; i < added.size(); i++) {
            e.keyspace.delete(added.get(i));
        }
        for (int i = 0; i < values.size(); i++) {
            e.values.release(ValueType.STRING, (byte) encodings.get(i), values.get(i));
        }
        clear();
    }

    private void clear() {
        encodings.clear();
        values.clear();
        entries.clear();
        added.clear();
    }
}
