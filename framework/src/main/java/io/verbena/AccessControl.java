package io.verbena;

/** Decides who may connect to a node's inboxes and regions. Called under the node's control lock; must not block. */
@FunctionalInterface
public interface AccessControl {
    /** Lets everyone in who can reach the node and knows the name. */
    AccessControl ALLOW_ALL = (name, token) -> true;

    /**
     * Whether a peer may connect.
     *
     * @param name of the inbox or region
     * @param token what the peer gave, see {@link NodeContext#accessToken}; empty if nothing
     */
    boolean permits(String name, byte[] token);
}
