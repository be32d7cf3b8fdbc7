package io.verbena.bench.check.redis;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A list that is used as a queue, or a set: connections put unique elements in and others take them out. Each is taken
 * once, nothing is taken that nobody put, what was acknowledged is taken or there in the end; and from a queue the
 * elements of one producer come in their order: if one was taken before the taking of another began, it was put
 * earlier. Thread-safe.
 */
final class SharedBag {
    private final String key;
    private final boolean ordered;
    private final Set<String> begun = new HashSet<>();
    private final Set<String> put = new HashSet<>();
    private final Set<String> taken = new HashSet<>();
    private final Map<String, TreeMap<Long, Long>> order = new HashMap<>();
    private long takes;
    private long takesInDoubt;

    /**
     * Creates an empty one.
     *
     * @param ordered whether it is a queue
     */
    SharedBag(String key, boolean ordered) {
        this.key = key;
        this.ordered = ordered;
    }

    String key() {
        return key;
    }

    boolean isOrdered() {
        return ordered;
    }

    /**
     * Adds the putting of an element to a batch.
     *
     * @param producer whoever puts one after the other; another after each death
     * @param number of the element, increasing
     */
    synchronized void addPut(Batch batch, String producer, long number) {
        String element = producer + "#" + number;
        begun.add(element);
        batch.add(
                ordered ? "RPUSH" : "SADD",
                () -> {
                    acknowledged(element);
                    return ordered ? Expected.between(0, Long.MAX_VALUE) : Expected.integer(1);
                },
                key,
                element);
    }

    private synchronized void acknowledged(String element) {
        put.add(element);
    }

    /** Adds a taking to a batch. */
    synchronized void addTake(Batch batch) {
        long before = takes;
        batch.add(
                ordered ? "LPOP" : "SPOP",
                new ExpectedReply() {
                    @Override
                    public Expected apply() {
                        return Expected.when(
                                "nil, or an element that was put, not taken, and in its producer's order",
                                reply -> reply.type() == Reply.NIL
                                        || (reply.type() == Reply.BULK && take(reply.string(), before)));
                    }

                    @Override
                    public void lost() {
                        doubt();
                    }
                },
                key);
    }

    private synchronized void doubt() {
        takesInDoubt++;
    }

    private synchronized boolean take(String element, long before) {
        if (!begun.contains(element) || !taken.add(element)) {
            return false;
        }
        takes++;
        if (!ordered) {
            return true;
        }
        int mark = element.indexOf('#');
        long number = Long.parseLong(element.substring(mark + 1));
        // Of each producer: the largest number taken, by when.
        TreeMap<Long, Long> numbers = order.computeIfAbsent(element.substring(0, mark), each -> new TreeMap<>());
        Map.Entry<Long, Long> known = numbers.floorEntry(before);
        if (known != null && known.getValue() > number) {
            return false;
        }
        Map.Entry<Long, Long> last = numbers.lastEntry();
        numbers.put(takes, last == null ? number : Math.max(last.getValue(), number));
        return true;
    }

    /** What is left when nobody puts or takes any more. */
    synchronized Expected last() {
        return Expected.when(
                "what is left of " + put.size() + " elements put and " + taken.size() + " taken, with " + takesInDoubt
                        + " takings in doubt",
                this::isRest);
    }

    private synchronized boolean isRest(Reply reply) {
        Set<String> left = new HashSet<>();
        for (Reply each : reply.items()) {
            if (!begun.contains(each.string()) || taken.contains(each.string()) || !left.add(each.string())) {
                return false;
            }
        }
        long missing = 0;
        for (String each : put) {
            missing += taken.contains(each) || left.contains(each) ? 0 : 1;
        }
        return missing <= takesInDoubt;
    }
}
