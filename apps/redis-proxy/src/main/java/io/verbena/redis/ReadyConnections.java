package io.verbena.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A worker's connections that have something to do in this turn or the next. For the worker's thread. */
final class ReadyConnections {
    /** Connections with replies to send at the end of the batch. */
    private List<ClientConnection> dirty = new ArrayList<>();

    private List<ClientConnection> sending = new ArrayList<>();

    /** Connections with something to execute. */
    private final TenantTurns<ClientConnection> waiting;

    /** Connections with pieces of a value to ask for, for which there was no room. */
    private List<ClientConnection> fetching = new ArrayList<>();

    private List<ClientConnection> fetched = new ArrayList<>();

    ReadyConnections(TenantTurns<ClientConnection> waiting) {
        this.waiting = waiting;
    }

    /** Whose turn it is of those that wait. */
    TenantTurns<ClientConnection> turns() {
        return waiting;
    }

    /** A connection has replies to send. */
    void dirty(ClientConnection connection) {
        dirty.add(connection);
    }

    boolean isAnyDirty() {
        return !dirty.isEmpty();
    }

    /** A connection has something to execute, and goes on when its turn comes. */
    void waits(ClientConnection connection) {
        waiting.waits(connection.session().tenant(), connection);
    }

    /** A connection has pieces of a value to ask for, for which there was no room. */
    void fetchesLater(ClientConnection connection) {
        fetching.add(connection);
    }

    /** Whether some wait for room. */
    boolean isAnyWaiting() {
        return waiting.isAnyWaiting() || !fetching.isEmpty();
    }

    /**
     * Lets the connections go on that have something to execute, as long as there is room, and once each. Values that
     * are on their way to clients go on before: they hold what the others wait for.
     */
    void takeTurns(BooleanSupplier hasRoom) {
        fetchBodies();
        waiting.takeTurns(hasRoom);
    }

    private void fetchBodies() {
        List<ClientConnection> list = fetching;
        fetching = fetched;
        fetched = list;
        for (int i = 0; i < list.size(); i++) {
            list.get(i).fetchBody();
        }
        list.clear();
    }

    /** Sends what the batch has replied. */
    void endBatch() {
        List<ClientConnection> list = dirty;
        dirty = sending;
        sending = list;
        for (int i = 0; i < list.size(); i++) {
            ClientConnection connection = list.get(i);
            try {
                connection.endOfBatch();
            } catch (RuntimeException | Error e) {
                connection.failed(e);
            }
        }
        list.clear();
    }

    void remove(ClientConnection connection) {
        waiting.remove(connection);
        fetching.remove(connection);
    }
}
