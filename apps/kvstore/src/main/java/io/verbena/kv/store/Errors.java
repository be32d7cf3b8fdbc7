package io.verbena.kv.store;

import java.nio.charset.StandardCharsets;

/** Texts of errors that need no argument, word for word those of Redis 7.0. */
final class Errors {
    static final byte[] WRONG_TYPE = ascii("WRONGTYPE Operation against a key holding the wrong kind of value");
    static final byte[] SYNTAX = ascii("ERR syntax error");
    static final byte[] NOT_AN_INTEGER = ascii("ERR value is not an integer or out of range");
    static final byte[] NOT_A_FLOAT = ascii("ERR value is not a valid float");
    static final byte[] OVERFLOW = ascii("ERR increment or decrement would overflow");
    static final byte[] DECREMENT_OVERFLOW = ascii("ERR decrement would overflow");
    static final byte[] NAN_OR_INFINITY = ascii("ERR increment would produce NaN or Infinity");
    static final byte[] OFFSET_OUT_OF_RANGE = ascii("ERR offset is out of range");
    static final byte[] INDEX_OUT_OF_RANGE = ascii("ERR index out of range");
    static final byte[] OUT_OF_RANGE = ascii("ERR value is out of range");
    static final byte[] LONG_RANGE =
            ascii("ERR value is out of range, value must between " + -Long.MAX_VALUE + " and " + Long.MAX_VALUE);
    static final byte[] VALUE_NAN_OR_INFINITY = ascii("ERR value is NaN or Infinity");
    static final byte[] MUST_BE_POSITIVE = ascii("ERR value is out of range, must be positive");
    static final byte[] NO_SUCH_KEY = ascii("ERR no such key");
    static final byte[] SAME_OBJECT = ascii("ERR source and destination objects are the same");
    static final byte[] DATABASE_OUT_OF_RANGE = ascii("ERR DB index is out of range");
    static final byte[] INVALID_CURSOR = ascii("ERR invalid cursor");
    static final byte[] BIT_OFFSET = ascii("ERR bit offset is not an integer or out of range");
    static final byte[] BIT_VALUE = ascii("ERR bit is not an integer or out of range");
    static final byte[] BIT_ARGUMENT = ascii("ERR The bit argument must be 1 or 0.");
    static final byte[] EXPIRE_NX = ascii("ERR NX and XX, GT or LT options at the same time are not compatible");
    static final byte[] EXPIRE_GT_LT = ascii("ERR GT and LT options at the same time are not compatible");
    static final byte[] NO_FREQUENCY =
            ascii("ERR An LFU maxmemory policy is not selected, access frequency not tracked."
                    + " Please note that when switching between policies at runtime LRU "
                    + "and LFU data will take some time to"
                    + " adjust.");
    static final byte[] HASH_VALUE_NOT_AN_INTEGER = ascii("ERR hash value is not an integer");
    static final byte[] HASH_VALUE_NOT_A_FLOAT = ascii("ERR hash value is not a float");
    static final byte[] RANGE_NOT_A_FLOAT = ascii("ERR min or max is not a float");
    static final byte[] RANGE_NOT_A_STRING = ascii("ERR min or max not valid string range item");
    static final byte[] ZADD_NX_XX = ascii("ERR XX and NX options at the same time are not compatible");
    static final byte[] ZADD_GT_LT_NX = ascii("ERR GT, LT, and/or NX options at the same time are not compatible");
    static final byte[] ZADD_INCR_PAIRS = ascii("ERR INCR option supports a single increment-element pair");
    static final byte[] SCORE_IS_NAN = ascii("ERR resulting score is not a number (NaN)");
    static final byte[] LIMIT_WITHOUT_RANGE =
            ascii("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    static final byte[] WITHSCORES_BY_LEX =
            ascii("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    static final byte[] RANK_ZERO =
            ascii("ERR RANK can't be zero: use 1 to start from the first match, 2 from the second"
                    + " ... or use negative to start from the end of the list");
    static final byte[] COUNT_NEGATIVE = ascii("ERR COUNT can't be negative");
    static final byte[] MAXLEN_NEGATIVE = ascii("ERR MAXLEN can't be negative");
    static final byte[] OUT_OF_MEMORY = ascii("OOM command not allowed when used memory > 'maxmemory'.");

    static final byte[] NO_REPLY_ROOM = ascii("ERR no room for the error in the reply");
    static final byte[] STRING_TOO_LONG = ascii("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    static final byte[] NOT_A_NUMBER = ascii("ERR argument of a transfer is not a number of 8 bytes");
    static final byte[] UNKNOWN_UPLOAD = ascii("ERR no such upload");
    static final byte[] UPLOAD_IS_REQUEST = ascii("ERR upload is a request and no argument");
    static final byte[] UPLOAD_IS_ARGUMENT = ascii("ERR upload is an argument and no request");
    static final byte[] UPLOAD_INCOMPLETE = ascii("ERR upload is incomplete");
    static final byte[] UPLOAD_OUT_OF_ORDER = ascii("ERR pieces of an upload are out of order");
    static final byte[] TOO_MANY_UPLOADS = ascii("ERR too many open uploads");
    static final byte[] UNKNOWN_STREAM = ascii("ERR no such stream");
    static final byte[] TOO_MANY_STREAMS = ascii("ERR too many open streams");
    static final byte[] NO_TRANSFERS = ascii("ERR this caller cannot transfer");

    private Errors() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
