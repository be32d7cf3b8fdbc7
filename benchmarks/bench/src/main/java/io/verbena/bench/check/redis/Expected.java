package io.verbena.bench.check.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a reply must be; its text is shown when it is not. */
abstract class Expected {
    private static final Expected OK = status("OK");
    private static final Expected NIL = when("nil", reply -> reply.type() == Reply.NIL);

    /** Tells whether a reply is this. */
    abstract boolean matches(Reply reply);

    /** The bytes that a bulk must have, if that is all; such a reply may be compared while it comes. */
    @Nullable
    ValueContent content() {
        return null;
    }

    static Expected ok() {
        return OK;
    }

    static Expected nil() {
        return NIL;
    }

    static Expected status(String text) {
        return when(
                "+" + text,
                reply -> reply.type() == Reply.STATUS && reply.string().equals(text));
    }

    static Expected integer(long value) {
        String text = Long.toString(value);
        return when(
                ":" + text,
                reply -> reply.type() == Reply.INTEGER && reply.string().equals(text));
    }

    static Expected between(long least, long most) {
        return when("an integer from " + least + " to " + most, reply -> {
            if (reply.type() != Reply.INTEGER) {
                return false;
            }
            long value = Long.parseLong(reply.string());
            return value >= least && value <= most;
        });
    }

    /** An error that begins so. */
    static Expected error(String start) {
        return when(
                "an error that begins '" + start + "'",
                reply -> reply.isError() && reply.string().startsWith(start));
    }

    /** Anything but an error. */
    static Expected anything() {
        return when("no error", reply -> !reply.isError());
    }

    /** No reply at all: the command was not sent whole, and is never executed. */
    static Expected none() {
        return when("no reply: the command was not sent whole", reply -> false);
    }

    /** A bulk, or nil for null. */
    static Expected bulk(@Nullable ValueContent content) {
        return content == null ? NIL : new Bulk(content);
    }

    /** A score or another double: a bulk in RESP2, a double in RESP3. */
    static Expected score(String text) {
        return when(
                "the number " + text,
                reply -> (reply.type() == Reply.BULK || reply.type() == Reply.DOUBLE)
                        && reply.string().equals(text));
    }

    static Expected array(List<? extends Expected> items) {
        return new Array(items);
    }

    /** An array of bulks in this order. */
    static Expected bulks(Collection<ValueContent> contents) {
        List<Expected> items = new ArrayList<>();
        for (ValueContent content : contents) {
            items.add(bulk(content));
        }
        return array(items);
    }

    /** Members in any order. */
    static Expected members(Collection<String> members) {
        return when("the members " + shown(members), reply -> {
            if (reply.type() != Reply.ARRAY || reply.items().size() != members.size()) {
                return false;
            }
            TreeSet<String> found = new TreeSet<>();
            for (Reply each : reply.items()) {
                found.add(each.string());
            }
            return found.equals(new TreeSet<>(members));
        });
    }

    /** Texts in this order, however they are nested: pairs are arrays of their own in RESP3. */
    static Expected flat(List<String> texts) {
        return when("the items " + shown(texts), reply -> {
            List<String> found = new ArrayList<>();
            return reply.type() == Reply.ARRAY && flatten(reply, found) && found.equals(texts);
        });
    }

    static Expected oneOf(List<Expected> choices) {
        return choices.size() == 1
                ? choices.get(0)
                : when("one of " + choices, reply -> choices.stream().anyMatch(each -> each.matches(reply)));
    }

    static Expected when(String text, Predicate<Reply> rule) {
        return new Expected() {
            @Override
            boolean matches(Reply reply) {
                return rule.test(reply);
            }

            @Override
            public String toString() {
                return text;
            }
        };
    }

    private static boolean flatten(Reply reply, List<String> into) {
        for (Reply each : reply.items()) {
            if (each.type() == Reply.ARRAY) {
                flatten(each, into);
            } else {
                into.add(new String(each.text(), StandardCharsets.ISO_8859_1));
            }
        }
        return true;
    }

    private static String shown(Collection<String> texts) {
        String all = texts.toString();
        return all.length() <= 400 ? all : all.substring(0, 400) + "... (" + texts.size() + ")";
    }

    private static final class Bulk extends Expected {
        private final ValueContent content;

        Bulk(ValueContent content) {
            this.content = content;
        }

        @Override
        boolean matches(Reply reply) {
            return reply.type() == Reply.BULK && content.isSame(reply.text());
        }

        @Override
        ValueContent content() {
            return content;
        }

        @Override
        public String toString() {
            return content.toString();
        }
    }

    private static final class Array extends Expected {
        private final List<? extends Expected> items;

        Array(List<? extends Expected> items) {
            this.items = items;
        }

        @Override
        boolean matches(Reply reply) {
            if (reply.type() != Reply.ARRAY || reply.items().size() != items.size()) {
                return false;
            }
            for (int i = 0; i < items.size(); i++) {
                if (!items.get(i).matches(reply.items().get(i))) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public String toString() {
            return items.size() <= 8 ? items.toString() : items.subList(0, 8) + "... (" + items.size() + " items)";
        }
    }
}
