package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;

/** A shard's operations, by {@linkplain KvOp#group group}. */
final class Operations {
    private final StringOperations strings;
    private final CounterOperations counters;
    private final BitOperations bits;
    private final KeyOperations keys;
    private final ExpiryOperations expiries;
    private final DatabaseOperations databases;
    private final ListOperations lists;
    private final SetOperations sets;
    private final SetAlgebra setAlgebra;
    private final HashOperations hashes;
    private final SortedSetOperations sortedSets;
    private final SortedSetRanges sortedSetRanges;
    private final TransferOperations transfers;

    Operations(Execution execution, Shard shard, OverflowGate gate) {
        ScanOptions scans = new ScanOptions(execution);
        RandomMembers randoms = new RandomMembers(execution);
        strings = new StringOperations(execution);
        counters = new CounterOperations(execution);
        bits = new BitOperations(execution, strings);
        keys = new KeyOperations(execution);
        expiries = new ExpiryOperations(execution);
        databases = new DatabaseOperations(execution, scans, shard);
        lists = new ListOperations(execution);
        sets = new SetOperations(execution, scans, randoms);
        setAlgebra = new SetAlgebra(execution);
        hashes = new HashOperations(execution, scans, randoms);
        sortedSets = new SortedSetOperations(execution, scans, randoms);
        sortedSetRanges = new SortedSetRanges(execution);
        transfers = new TransferOperations(execution, shard, gate);
    }

    /** Executes the request that the {@link Execution} holds. */
    void execute(KvOp op) {
        switch (op.group()) {
            case STRING -> strings.execute(op);
            case COUNTER -> counters.execute(op);
            case BIT -> bits.execute(op);
            case KEY -> keys.execute(op);
            case EXPIRY -> expiries.execute(op);
            case DATABASE -> databases.execute(op);
            case LIST -> lists.execute(op);
            case SET -> sets.execute(op);
            case SET_ALGEBRA -> setAlgebra.execute(op);
            case HASH -> hashes.execute(op);
            case SORTED_SET -> sortedSets.execute(op);
            case SORTED_SET_RANGE -> sortedSetRanges.execute(op);
            case TRANSFER -> transfers.execute(op);
        }
    }

    /** Those that take and give values in pieces. */
    TransferOperations transfers() {
        return transfers;
    }
}
