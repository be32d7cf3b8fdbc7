package io.verbena.bench.trial;

import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A {@link SinkProcess} or one like it, until it is closed. */
public final class Sink implements AutoCloseable {
    private final JavaProcess java;
    private final String address;

    /**
     * Starts it, and waits until it listens.
     *
     * @param fabric tcp, uds or shm
     * @param label stands in what it listens at, beside the number of this process
     * @throws RunException if it is no such fabric, or the process does not start
     */
    public Sink(String fabric, String label) {
        this(SinkProcess.class, fabric, label);
    }

    /**
     * Starts another process that says where it listens, as a {@link SinkProcess} does.
     *
     * @param type its command
     * @param more arguments, behind where it listens
     */
    public Sink(Class<? extends Callable<Integer>> type, String fabric, String label, String... more) {
        java = new JavaProcess(
                type,
                Stream.concat(Stream.of(listen(fabric, label)), Stream.of(more)).toList());
        try {
            address = line(java.process());
        } catch (RunException e) {
            java.close();
            throw e;
        }
    }

    /** Where a node of a fabric may listen; as {@link #Sink}. */
    public static String listen(String fabric, String label) {
        String name = label + '-' + ProcessHandle.current().pid();
        switch (fabric) {
            case "tcp":
                return "tcp://127.0.0.1:0";
            case "uds":
                return "uds:" + Path.of(System.getProperty("java.io.tmpdir"), "verbena-" + name + ".sock");
            case "shm":
                return "shm:" + name;
            default:
                throw new RunException("fabric '" + fabric + "' is none of tcp, uds and shm");
        }
    }

    private static String line(Process process) {
        try {
            BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
            String line = reader.readLine();
            if (line == null || !line.startsWith(SinkProcess.ADDRESS)) {
                throw new RunException("process " + process.pid() + " said '" + line + "'");
            }
            return line.substring(SinkProcess.ADDRESS.length());
        } catch (IOException e) {
            throw new RunException("process " + process.pid() + " cannot be heard: " + e.getMessage(), e);
        }
    }

    /** Address of its node, to which the name of an inbox is added. */
    public String address() {
        return address;
    }

    /** Address of its inbox that takes messages. */
    public String takes() {
        return address + SinkProcess.SINK;
    }

    /** Address of its inbox that answers each message. */
    public String answers() {
        return address + SinkProcess.ECHO;
    }

    /** Whether it is in shared memory. */
    public boolean isShared() {
        return address.startsWith("shm:");
    }

    /** Waits for its end, where its command ends by itself; a status other than 0 ends the measurement. */
    public void await(double seconds) {
        java.await(seconds);
    }

    /** Kills the process, which has no time to do anything more. Idempotent. */
    public void kill() {
        java.close();
    }

    @Override
    public void close() {
        kill();
    }
}
