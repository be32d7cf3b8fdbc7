package io.verbena.bench.path;

import io.verbena.bench.BenchException;
import io.verbena.bench.fabric.FabricKind;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The paths, by the name that a benchmark's parameter has. */
public enum PathKind {
    /** Verbena, APPEND, same process. */
    VERBENA_APPEND_LOCAL,
    /** Verbena, APPEND over shared memory. */
    VERBENA_APPEND_SHM,
    /** Verbena, APPEND over Unix-domain sockets. */
    VERBENA_APPEND_UDS,
    /** Verbena, APPEND over TCP. */
    VERBENA_APPEND_TCP,
    /** Verbena, SEND, same process. */
    VERBENA_SEND_LOCAL,
    /** Verbena, SEND over shared memory. */
    VERBENA_SEND_SHM,
    /** Verbena, SEND over Unix-domain sockets. */
    VERBENA_SEND_UDS,
    /** Verbena, SEND over TCP. */
    VERBENA_SEND_TCP,
    /** Verbena, WRITE, same process. */
    VERBENA_WRITE_LOCAL,
    /** Verbena, WRITE over shared memory. */
    VERBENA_WRITE_SHM,
    /** Verbena, WRITE over Unix-domain sockets. */
    VERBENA_WRITE_UDS,
    /** Verbena, WRITE over TCP. */
    VERBENA_WRITE_TCP,
    /** Verbena, READ, same process. */
    VERBENA_READ_LOCAL,
    /** Verbena, READ over shared memory. */
    VERBENA_READ_SHM,
    /** Verbena, READ over Unix-domain sockets. */
    VERBENA_READ_UDS,
    /** Verbena, READ over TCP. */
    VERBENA_READ_TCP,
    /** Aeron IPC. */
    AERON_IPC,
    /** Agrona's ring buffer of one producer. */
    AGRONA_ONE_TO_ONE,
    /** Agrona's ring buffer of many producers. */
    AGRONA_MANY_TO_ONE,
    /** Raw Netty over Unix-domain sockets. */
    NETTY_UDS,
    /** Raw Netty over TCP. */
    NETTY_TCP;

    /** The name of a parameter: lower case, with dashes. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** By the name of a parameter. */
    public static PathKind of(String name) {
        for (PathKind kind : values()) {
            if (kind.optionName().equals(name)) {
                return kind;
            }
        }
        throw new BenchException("unknown path '" + name + "', expected one of "
                + Arrays.stream(values()).map(PathKind::optionName).collect(Collectors.joining(" ")));
    }

    /** Whether its ends may be in two processes. */
    public boolean isBetweenProcesses() {
        return !name().endsWith("_LOCAL");
    }

    /** Whether many messages may be under way in one direction, each seen by the other end. */
    public boolean isStream() {
        return !name().startsWith("VERBENA_WRITE") && !name().startsWith("VERBENA_READ");
    }

    /**
     * Opens an end, while another thread or process opens the other.
     *
     * @param rendezvous with the other
     * @param near whether it is the end that measures
     * @param length bytes of a message, at least {@link End#MIN_LENGTH}
     */
    public End open(Rendezvous rendezvous, boolean near, int length) {
        if (length < End.MIN_LENGTH) {
            throw new BenchException("length " + length + " < minimum " + End.MIN_LENGTH);
        }
        switch (this) {
            case AERON_IPC:
                return new AeronEnd(rendezvous, near, length);
            case AGRONA_ONE_TO_ONE:
                return new RingEnd(rendezvous, near, false, length);
            case AGRONA_MANY_TO_ONE:
                return new RingEnd(rendezvous, near, true, length);
            case NETTY_UDS:
                return new NettyEnd(rendezvous, near, true, length);
            case NETTY_TCP:
                return new NettyEnd(rendezvous, near, false, length);
            default:
                return verbena(length).join(rendezvous, near);
        }
    }

    private VerbenaEnd verbena(int length) {
        String[] words = optionName().split("-", -1);
        FabricKind fabric = FabricKind.of(words[2]);
        switch (words[1]) {
            case "append":
                return new AppendEnd(fabric, length);
            case "send":
                return new SendEnd(fabric, length);
            case "write":
                return new WriteEnd(fabric, length);
            default:
                return new ReadEnd(fabric, length);
        }
    }
}
