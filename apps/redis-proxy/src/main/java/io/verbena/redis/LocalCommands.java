package io.verbena.redis;

import io.verbena.redis.command.Command;
import io.verbena.redis.command.Local;
import io.verbena.redis.resp.RespWriter;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The commands that the proxy answers itself, each with one reply. One worker's, on its thread. */
final class LocalCommands {
    private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

    private final Worker worker;
    private final ConfigCommands config;
    private final ClientCommands client;
    private final HelloCommand hello;
    private final CommandCommands command;
    private final InfoCommand info;

    LocalCommands(Worker worker) {
        this.worker = worker;
        this.config = new ConfigCommands(worker.settings(), worker.server().store());
        this.client = new ClientCommands(worker);
        this.hello = new HelloCommand(worker.settings());
        this.command = new CommandCommands();
        this.info = new InfoCommand(worker.server());
    }

    /** Executes a command whose number of arguments is right. */
    void execute(
            Command executed, Local by, ClientConnection connection, Arguments arguments, long slot, RespWriter out) {
        switch (by) {
            case PING -> ping(arguments, out);
            case ECHO -> out.bulk(arguments.buffer(), arguments.offset(1), arguments.length(1));
            case SELECT -> select(connection, arguments, out);
            case AUTH -> hello.auth(connection, arguments, out);
            case HELLO -> hello.hello(connection, arguments, out);
            case QUIT -> {
                out.ok();
                connection.closeAfterReplies(ClientCloseReason.QUIT, "");
            }
            case RESET -> {
                connection.transaction().clear();
                connection.session().reset();
                connection.authenticated(worker.settings().password().isEmpty());
                out.status("RESET");
            }
            case MULTI -> multi(connection, out);
            case DISCARD -> discard(connection, out);
            case WATCH -> watch(connection, out);
            // Nothing can be watched, so nothing is.
            case UNWATCH -> out.ok();
            case TIME -> time(out);
            case LOLWUT -> out.verbatim("Redis ver. " + ServerVersion.REDIS + "\n");
            case LASTSAVE -> out.integer(worker.server().startMillis() / 1000);
            case ROLE -> {
                out.array(3);
                out.bulk("master");
                out.integer(0);
                out.array(0);
            }
            case INFO -> info.execute(arguments, out);
            case HELP -> command.help(executed, out);
            case CONFIG_GET -> config.get(arguments, out);
            case CONFIG_SET -> config.set(arguments, out);
            case CONFIG_RESETSTAT -> {
                worker.server().clearStatistics();
                out.ok();
            }
            case CONFIG_REWRITE -> out.error("ERR The server is running without a config file");
            case COMMAND, COMMAND_COUNT, COMMAND_DOCS, COMMAND_GETKEYS, COMMAND_INFO, COMMAND_LIST ->
                command.execute(by, arguments, out);
            default -> client.execute(by, connection, arguments, slot, out);
        }
    }

    private static void ping(Arguments arguments, RespWriter out) {
        if (arguments.count() == 1) {
            out.pong();
        } else if (arguments.count() == 2) {
            out.bulk(arguments.buffer(), arguments.offset(1), arguments.length(1));
        } else {
            out.error("ERR wrong number of arguments for 'ping' command");
        }
    }

    private static void select(ClientConnection connection, Arguments arguments, RespWriter out) {
        long database = arguments.integer(1, Long.MIN_VALUE);
        if (database < Integer.MIN_VALUE || database > Integer.MAX_VALUE) {
            out.error(NOT_AN_INTEGER);
        } else if (database < 0 || database >= Settings.DATABASES) {
            out.error("ERR DB index is out of range");
        } else {
            connection.session().database((int) database);
            out.ok();
        }
    }

    private static void multi(ClientConnection connection, RespWriter out) {
        if (connection.transaction().isOpen()) {
            out.error("ERR MULTI calls can not be nested");
        } else {
            connection.transaction().begin();
            out.ok();
        }
    }

    private static void discard(ClientConnection connection, RespWriter out) {
        if (connection.transaction().isOpen()) {
            connection.transaction().clear();
            out.ok();
        } else {
            out.error("ERR DISCARD without MULTI");
        }
    }

    private static void watch(ClientConnection connection, RespWriter out) {
        out.error(
                connection.transaction().isOpen()
                        ? "ERR WATCH inside MULTI is not allowed"
                        : "ERR WATCH is not offered: transactions here are MULTI and EXEC without conditions");
    }

    private static void time(RespWriter out) {
        Instant now = Instant.now();
        out.array(2);
        out.bulk(Long.toString(now.getEpochSecond()));
        out.bulk(Long.toString(TimeUnit.NANOSECONDS.toMicros(now.getNano())));
    }

    /** Names of subcommands for HELP, in upper case. */
    static String upper(String name) {
        return name.substring(name.indexOf('|') + 1).toUpperCase(Locale.ROOT);
    }
}
