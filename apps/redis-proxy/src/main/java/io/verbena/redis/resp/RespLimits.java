package io.verbena.redis.resp;

/**
 * What a client may announce before the parser refuses it. The first four are Redis' own and end in a protocol error,
 * after which the connection is closed; the last two are the store's: a command beyond them is read to its end, not
 * kept, and answered with an error, and the connection goes on.
 *
 * @param maxArguments most arguments of a command
 * @param maxBulk most bytes that one argument may announce
 * @param maxInline most bytes of an inline command or of the line that announces a count or a length
 * @param maxArgumentsBeforeAuth most arguments before the client has given the password
 * @param maxBulkBeforeAuth most bytes of an argument before the client has given the password
 * @param maxValue most bytes of an argument that is kept
 * @param maxCommand most bytes of all arguments of a command together that are kept
 */
public record RespLimits(
        int maxArguments,
        int maxBulk,
        int maxInline,
        int maxArgumentsBeforeAuth,
        int maxBulkBeforeAuth,
        int maxValue,
        int maxCommand) {

    /** Redis' limits, with values up to 512 MiB, as there, and commands up to 1,008 MiB: what an upload holds. */
    public static final RespLimits DEFAULT =
            new RespLimits(1024 * 1024, 512 << 20, 64 << 10, 10, 16384, 512 << 20, 1008 << 20);

    /** Checks that the limits agree with one another. */
    public RespLimits {
        positive("maxArguments", maxArguments);
        positive("maxBulk", maxBulk);
        positive("maxInline", maxInline);
        positive("maxArgumentsBeforeAuth", maxArgumentsBeforeAuth);
        positive("maxBulkBeforeAuth", maxBulkBeforeAuth);
        positive("maxValue", maxValue);
        if (maxCommand < maxValue) {
            throw new IllegalArgumentException("maxCommand " + maxCommand + " < maxValue " + maxValue);
        }
    }

    private static void positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + " < minimum 1");
        }
    }
}
