package io.verbena.redis;

/** Why a client connection was closed; each is counted, and those that are the client's doing are logged. */
public enum ClientCloseReason {
    /** The client closed, or its connection broke. */
    CLIENT("closed by the client", false),
    /** The client said QUIT. */
    QUIT("quit", false),
    /** The client sent something that is no RESP. */
    PROTOCOL_ERROR("protocol error", true),
    /** The client did not read its replies. */
    OUTPUT_LIMIT("output limit", true),
    /** The client sent more than may wait to be executed. */
    QUERY_BUFFER("query buffer limit", true),
    /** Clients took too much memory, and this one most of it. */
    CLIENT_MEMORY("clients' memory limit", true),
    /** The client was silent for longer than {@code timeout}. */
    IDLE("idle", true),
    /** A client asked for it by CLIENT KILL. */
    KILLED("killed", true),
    /** More clients than {@code maxclients}. */
    MAX_CLIENTS("too many clients", true),
    /** The socket failed. */
    IO_ERROR("socket error", true),
    /** The proxy failed; a bug. */
    INTERNAL_ERROR("internal error", true),
    /** The proxy stops. */
    SHUTDOWN("shutdown", false);

    private final String text;
    private final boolean logged;

    ClientCloseReason(String text, boolean logged) {
        this.text = text;
        this.logged = logged;
    }

    /**
     * How the reason reads in a log and in INFO.
     *
     * @return text
     */
    public String text() {
        return text;
    }

    /**
     * Tells whether it is worth a line in the log.
     *
     * @return true for what an operator should see
     */
    public boolean isLogged() {
        return logged;
    }
}
