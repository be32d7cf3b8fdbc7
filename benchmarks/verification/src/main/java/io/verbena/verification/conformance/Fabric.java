package io.verbena.verification.conformance;

/** A way for two NICs to reach each other, as the tests are parameterised by it. */
enum Fabric {
    /** Virtual links, packets alone. */
    SIMULATED(Column.SIMULATED, false, "simulated"),
    /** Virtual links, and the peer's memory mapped. */
    SIMULATED_DIRECT(Column.SIMULATED, true, "simulated, direct"),
    /** Files that both NICs map, with the direct path. */
    SHARED_MEMORY(Column.SHARED_MEMORY, true, "shared memory, direct"),
    /** The same with the direct path hidden: everything goes through the packet rings. */
    SHARED_MEMORY_RINGS(Column.SHARED_MEMORY, false, "shared memory, rings"),
    /** Rings between two NICs of one process, with the direct path. */
    IN_PROCESS(Column.SHARED_MEMORY, true, "in process"),
    /** TCP on the loopback interface. */
    NETTY_TCP(Column.NETTY_TCP, false, "Netty TCP"),
    /** A Unix-domain socket. */
    NETTY_UDS(Column.NETTY_UDS, false, "Netty UDS");

    /** A column of the table: variants of a fabric share one. */
    enum Column {
        SIMULATED("simulated", "sim"),
        SHARED_MEMORY("shared memory", "shm"),
        NETTY_TCP("Netty TCP", "tcp"),
        NETTY_UDS("Netty UDS", "uds");

        final String title;
        final String option;

        Column(String title, String option) {
            this.title = title;
            this.option = option;
        }
    }

    final Column column;
    final boolean direct;
    final String title;

    Fabric(Column column, boolean direct, String title) {
        this.column = column;
        this.direct = direct;
        this.title = title;
    }

    /** The fabric of a title, or null. */
    static @org.jspecify.annotations.Nullable Fabric ofTitle(String title) {
        for (Fabric fabric : values()) {
            if (fabric.title.equals(title)) {
                return fabric;
            }
        }
        return null;
    }

    boolean isSimulated() {
        return column == Column.SIMULATED;
    }

    boolean isSocket() {
        return column == Column.NETTY_TCP || column == Column.NETTY_UDS;
    }

    @Override
    public String toString() {
        return title;
    }
}
