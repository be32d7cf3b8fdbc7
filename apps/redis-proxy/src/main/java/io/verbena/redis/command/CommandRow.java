package io.verbena.redis.command;

import io.verbena.kv.protocol.KvOp;
import org.jspecify.annotations.Nullable;

/** A row as the table's text has it, before it has a number. */
record CommandRow(
        String name,
        String group,
        int arity,
        int flags,
        int firstKey,
        int lastKey,
        int keyStep,
        Split split,
        @Nullable KvOp op,
        @Nullable Local local,
        String since,
        String summary) {}
