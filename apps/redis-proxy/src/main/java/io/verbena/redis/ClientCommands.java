package io.verbena.redis;

import io.verbena.redis.command.Local;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** CLIENT and its subcommands. One worker's, on its thread; the clients of other workers are read and killed too. */
final class ClientCommands {
    private static final String SYNTAX = "ERR syntax error";

    private final Worker worker;

    ClientCommands(Worker worker) {
        this.worker = worker;
    }

    void execute(Local by, ClientConnection connection, Arguments arguments, long slot, RespWriter out) {
        ClientSession session = connection.session();
        switch (by) {
            case CLIENT_ID:
                out.integer(session.id());
                break;
            case CLIENT_GETNAME:
                if (session.name().isEmpty()) {
                    out.nil();
                } else {
                    out.bulk(session.name());
                }
                break;
            case CLIENT_SETNAME:
                setName(session, arguments, out);
                break;
            case CLIENT_SETINFO:
                setInfo(session, arguments, out);
                break;
            case CLIENT_INFO:
                out.verbatim(describe(connection));
                break;
            case CLIENT_LIST:
                list(arguments, out);
                break;
            case CLIENT_KILL:
                kill(connection, arguments, out);
                break;
            case CLIENT_NO_EVICT:
                if (isSwitch(arguments, out)) {
                    session.noEvict(arguments.is(2, "on"));
                }
                break;
            case CLIENT_NO_TOUCH:
                if (isSwitch(arguments, out)) {
                    session.noTouch(arguments.is(2, "on"));
                }
                break;
            case CLIENT_REPLY:
                reply(connection, arguments, slot, out);
                break;
            case CLIENT_GETREDIR:
                out.integer(-1);
                break;
            case CLIENT_TRACKINGINFO:
                trackingInfo(out);
                break;
            default:
                throw new IllegalStateException("nobody executes " + by);
        }
    }

    private static void setName(ClientSession session, Arguments arguments, RespWriter out) {
        String name = arguments.text(2);
        if (HelloCommand.isName(name)) {
            session.name(name);
            out.ok();
        } else {
            out.error(HelloCommand.BAD_NAME);
        }
    }

    private static void setInfo(ClientSession session, Arguments arguments, RespWriter out) {
        String value = arguments.text(3);
        boolean name = arguments.is(2, "lib-name");
        if (!name && !arguments.is(2, "lib-ver")) {
            out.error("ERR Unrecognized option '" + arguments.quoted(2, 128) + "'");
        } else if (!HelloCommand.isName(value)) {
            out.error("ERR " + (name ? "lib-name" : "lib-ver")
                    + " cannot contain spaces, newlines or special characters.");
        } else {
            if (name) {
                session.libraryName(value);
            } else {
                session.libraryVersion(value);
            }
            out.ok();
        }
    }

    private static boolean isSwitch(Arguments arguments, RespWriter out) {
        boolean valid = arguments.is(2, "on") || arguments.is(2, "off");
        if (valid) {
            out.ok();
        } else {
            out.error(SYNTAX);
        }
        return valid;
    }

    private static void reply(ClientConnection connection, Arguments arguments, long slot, RespWriter out) {
        ClientSession session = connection.session();
        if (arguments.is(2, "on")) {
            session.repliesOff(false);
            connection.replies().suppress(slot, false);
            out.ok();
        } else if (arguments.is(2, "off")) {
            session.repliesOff(true);
            connection.replies().suppress(slot, true);
        } else if (arguments.is(2, "skip")) {
            if (!session.isReplySuppressed()) {
                session.skipNextReply();
            }
            connection.replies().suppress(slot, true);
        } else {
            out.error(SYNTAX);
        }
    }

    private static void trackingInfo(RespWriter out) {
        out.map(3);
        out.bulk("flags");
        out.set(1);
        out.bulk("off");
        out.bulk("redirect");
        out.integer(-1);
        out.bulk("prefixes");
        out.array(0);
    }

    private void list(Arguments arguments, RespWriter out) {
        List<Long> ids = new ArrayList<>();
        boolean all = true;
        if (arguments.count() == 4 && arguments.is(2, "type")) {
            if (!isType(arguments, 3)) {
                out.error("ERR Unknown client type '" + arguments.quoted(3, 128) + "'");
                return;
            }
            all = arguments.is(3, "normal");
        } else if (arguments.count() > 3 && arguments.is(2, "id")) {
            all = false;
            for (int i = 3; i < arguments.count(); i++) {
                long id = arguments.integer(i, -1);
                if (id < 0) {
                    out.error("ERR Invalid client ID");
                    return;
                }
                ids.add(id);
            }
        } else if (arguments.count() != 2) {
            out.error(SYNTAX);
            return;
        }
        StringBuilder text = new StringBuilder();
        for (ClientConnection connection : worker.server().connections()) {
            if (all || ids.contains(connection.session().id())) {
                text.append(describe(connection));
            }
        }
        out.verbatim(text.toString());
    }

    private static boolean isType(Arguments arguments, int index) {
        return arguments.is(index, "normal")
                || arguments.is(index, "master")
                || arguments.is(index, "slave")
                || arguments.is(index, "replica")
                || arguments.is(index, "pubsub");
    }

    private String describe(ClientConnection connection) {
        ClientSession session = connection.session();
        long now = worker.nowNanos();
        return String.format(
                Locale.ROOT,
                "id=%d addr=%s laddr=%s name=%s age=%d idle=%d flags=%s db=%d sub=0 psub=0 ssub=0 multi=%d"
                        + " obl=%d cmd=%s user=%s redir=-1 resp=%d lib-name=%s lib-ver=%s\n",
                session.id(),
                session.address(),
                session.localAddress(),
                session.name(),
                Math.max(0, TimeUnit.NANOSECONDS.toSeconds(session.ageNanos(now))),
                Math.max(0, TimeUnit.NANOSECONDS.toSeconds(session.idleNanos(now))),
                connection.transaction().isOpen() ? "x" : session.isNoEvict() ? "e" : session.isNoTouch() ? "T" : "N",
                session.database(),
                connection.transaction().isOpen() ? connection.transaction().size() : -1,
                connection.unsent(),
                session.lastCommand(),
                session.user(),
                session.protocol(),
                session.libraryName(),
                session.libraryVersion());
    }

    private void kill(ClientConnection connection, Arguments arguments, RespWriter out) {
        if (arguments.count() == 3) {
            String address = arguments.text(2);
            for (ClientConnection other : worker.server().connections()) {
                if (other.session().address().equals(address) && kill(connection, other)) {
                    out.ok();
                    return;
                }
            }
            out.error("ERR No such client");
            return;
        }
        ClientFilter filter = new ClientFilter();
        for (int i = 2; i < arguments.count(); i += 2) {
            String problem = i + 1 < arguments.count() ? filter.add(arguments.text(i), arguments.text(i + 1)) : SYNTAX;
            if (problem != null) {
                out.error(problem);
                return;
            }
        }
        int killed = 0;
        for (ClientConnection other : worker.server().connections()) {
            if (filter.matches(other.session())
                    && !(filter.skipsMe() && other == connection)
                    && kill(connection, other)) {
                killed++;
            }
        }
        out.integer(killed);
    }

    /** @return false if the victim was closed or killed by another meanwhile */
    private boolean kill(ClientConnection killer, ClientConnection victim) {
        if (victim == killer) {
            victim.closeAfterReplies(ClientCloseReason.KILLED, "CLIENT KILL of itself");
            return true;
        }
        if (!worker.server().withdraw(victim)) {
            return false;
        }
        victim.kill();
        return true;
    }
}
