package io.verbena.bench.kv;

import io.verbena.bench.trial.JavaProcess;
import io.verbena.bench.trial.Sink;
import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A {@link KvProcess}, until it is closed. */
final class KvServerProcess implements AutoCloseable {
    private final JavaProcess java;
    private final Map<String, String> addresses = new HashMap<>(); // by tenant

    /**
     * Starts it, and waits until it listens.
     *
     * @param fabric tcp, uds or shm
     * @param label stands in what it listens at
     * @param indexBytes of the read index
     * @param slotLength bytes of a slot
     * @param tenants beside the default one, as {@link KvProcess} takes them
     */
    KvServerProcess(String fabric, String label, long indexBytes, int slotLength, List<String> tenants) {
        List<String> arguments = new ArrayList<>(
                List.of(Sink.listen(fabric, label), Long.toString(indexBytes), Integer.toString(slotLength)));
        arguments.addAll(tenants);
        java = new JavaProcess(KvProcess.class, arguments);
        try {
            BufferedReader lines = java.process().inputReader(StandardCharsets.UTF_8);
            for (int i = 0; i <= tenants.size(); i++) {
                String line = lines.readLine();
                String[] words = line == null ? new String[0] : line.split(" ", -1);
                if (words.length != 3 || !words[0].equals(KvProcess.ADDRESS)) {
                    throw new RunException("the server said '" + line + "'");
                }
                addresses.put(words[1], words[2]);
            }
        } catch (IOException e) {
            java.close();
            throw new RunException("the server cannot be heard: " + e.getMessage(), e);
        } catch (RunException e) {
            java.close();
            throw e;
        }
    }

    /** Where its shard takes a tenant's requests. */
    String address(String tenant) {
        String address = addresses.get(tenant);
        if (address == null) {
            throw new IllegalArgumentException("no tenant '" + tenant + "' of " + addresses.keySet());
        }
        return address;
    }

    @Override
    public void close() {
        java.close();
    }
}
