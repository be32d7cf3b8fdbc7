package io.verbena.redis;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What a client has told about itself and chosen. The worker's thread writes; CLIENT LIST of another worker reads, and
 * may see a value that is a moment old.
 */
final class ClientSession {
    private final long id;
    private final String address;
    private final String localAddress;
    private final long createdNanos;

    private volatile String user = ProxyTenant.DEFAULT;
    private volatile int tenant;
    private volatile String name = "";
    private volatile String libraryName = "";
    private volatile String libraryVersion = "";
    private volatile int database;
    private volatile int protocol = 2;
    private volatile boolean authenticated;
    private volatile boolean noEvict;
    private volatile boolean noTouch;
    // Written for every command, so without a fence: another worker may see them late.
    private String lastCommand = "NULL";
    private long lastUsedNanos;
    private boolean repliesOff;
    private boolean skipNext;
    private boolean skipThis;

    ClientSession(long id, @Nullable SocketAddress address, @Nullable SocketAddress localAddress, long nowNanos) {
        this.id = id;
        this.address = text(address);
        this.localAddress = text(localAddress);
        this.createdNanos = nowNanos;
        this.lastUsedNanos = nowNanos;
    }

    /** Back to the first state, as RESET wants it. */
    void reset() {
        user = ProxyTenant.DEFAULT;
        tenant = 0;
        name = "";
        database = 0;
        protocol = 2;
        noEvict = false;
        noTouch = false;
        repliesOff = false;
        skipNext = false;
        skipThis = false;
    }

    long id() {
        return id;
    }

    String address() {
        return address;
    }

    String localAddress() {
        return localAddress;
    }

    /** The name of the tenant that it is of. */
    String user() {
        return user;
    }

    /** The number of that tenant; 0 is the default one. */
    int tenant() {
        return tenant;
    }

    void tenant(int number, ProxyTenant whose) {
        tenant = number;
        user = whose.name();
    }

    String name() {
        return name;
    }

    void name(String value) {
        name = value;
    }

    String libraryName() {
        return libraryName;
    }

    void libraryName(String value) {
        libraryName = value;
    }

    String libraryVersion() {
        return libraryVersion;
    }

    void libraryVersion(String value) {
        libraryVersion = value;
    }

    String lastCommand() {
        return lastCommand;
    }

    long ageNanos(long nowNanos) {
        return nowNanos - createdNanos;
    }

    long idleNanos(long nowNanos) {
        return nowNanos - lastUsedNanos;
    }

    void used(String command, long nowNanos) {
        lastCommand = command;
        lastUsedNanos = nowNanos;
    }

    int database() {
        return database;
    }

    void database(int value) {
        database = value;
    }

    int protocol() {
        return protocol;
    }

    void protocol(int value) {
        protocol = value;
    }

    boolean isAuthenticated() {
        return authenticated;
    }

    void authenticated(boolean value) {
        authenticated = value;
    }

    boolean isNoEvict() {
        return noEvict;
    }

    void noEvict(boolean value) {
        noEvict = value;
    }

    boolean isNoTouch() {
        return noTouch;
    }

    void noTouch(boolean value) {
        noTouch = value;
    }

    /** Replies are off until they are switched on. */
    void repliesOff(boolean off) {
        repliesOff = off;
        skipNext = false;
        skipThis = false;
    }

    /** The reply of the next command is not wanted. */
    void skipNextReply() {
        skipNext = true;
    }

    /** A command begins: what was to hold for the next one holds for it. */
    void beginCommand() {
        skipThis = skipNext;
        skipNext = false;
    }

    /** Tells whether the reply of the present command is not wanted. */
    boolean isReplySuppressed() {
        return repliesOff || skipThis;
    }

    private static String text(@Nullable SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            String host = inet.getAddress() == null
                    ? inet.getHostString()
                    : inet.getAddress().getHostAddress();
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
        }
        return address == null ? "" : address.toString();
    }
}
