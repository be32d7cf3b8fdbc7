package io.verbena.kv.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a shard ought to answer, in plain collections. Replies as {@link ShardFixture#call} reads them. */
final class StoreModel {
    static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
    private static final String OK = "OK";

    private final Map<String, Object> values = new HashMap<>();
    private final Map<String, Long> expiries = new HashMap<>();
    long now;

    Object call(String name, String... a) {
        if (expiries.containsKey(a[0]) && now > expiries.get(a[0])) {
            remove(a[0]);
        }
        Object value = values.get(a[0]);
        Class<?> type = typeOf(name);
        if (type != null && value != null && !type.isInstance(value)) {
            return WRONG_TYPE;
        }
        Object reply = switch (name.charAt(0)) {
            case 'L', 'R' -> list(name, a);
            case 'H' -> hash(name, a);
            case 'Z' -> sortedSet(name, a);
            default -> name.startsWith("S") && type == TreeSet.class ? set(name, a) : string(name, a);
        };
        if (isEmpty(values.get(a[0]))) {
            remove(a[0]);
        }
        return reply;
    }

    private static boolean isEmpty(Object value) {
        return value instanceof Map<?, ?> map ? map.isEmpty() : value instanceof Collection<?> c && c.isEmpty();
    }

    /** Class of the values that a command is about; null for keys of any type. */
    static Class<?> typeOf(String name) {
        return switch (name) {
            case "GET", "INCRBY", "APPEND", "STRLEN", "GETRANGE", "SETRANGE", "GETDEL" -> String.class;
            case "LPUSH", "RPUSH", "LPOP", "RPOP", "LRANGE", "LINDEX", "LREM", "LTRIM", "LSET" -> ArrayList.class;
            case "SADD", "SREM", "SISMEMBER", "SCARD", "SMEMBERS" -> TreeSet.class;
            case "HSET", "HGET", "HDEL", "HLEN", "HGETALL" -> HashMap.class;
            case "ZADD", "ZREM", "ZSCORE", "ZRANK", "ZRANGE", "ZCOUNT", "ZPOPMIN" -> TreeMap.class;
            default -> null;
        };
    }

    private void remove(String key) {
        values.remove(key);
        expiries.remove(key);
    }

    @SuppressWarnings("unchecked")
    private <T> T open(String key, T fresh) {
        return (T) values.computeIfAbsent(key, k -> fresh);
    }

    private Object string(String name, String[] a) {
        Object found = values.get(a[0]);
        String text = found instanceof String s ? s : "";
        switch (name) {
            case "SET" -> {
                remove(a[0]);
                values.put(a[0], a[1]);
                return OK;
            }
            case "GET" -> {
                return found;
            }
            case "GETDEL" -> {
                remove(a[0]);
                return found;
            }
            case "DEL" -> {
                remove(a[0]);
                return found == null ? 0L : 1L;
            }
            case "EXISTS" -> {
                return found == null ? 0L : 1L;
            }
            case "INCRBY" -> {
                if (found != null && !text.matches("0|-?[1-9][0-9]{0,17}")) {
                    return NOT_AN_INTEGER;
                }
                long sum = (found == null ? 0 : Long.parseLong(text)) + Long.parseLong(a[1]);
                values.put(a[0], Long.toString(sum));
                return sum;
            }
            case "APPEND" -> {
                values.put(a[0], text + a[1]);
                return (long) (text + a[1]).length();
            }
            case "STRLEN" -> {
                return (long) text.length();
            }
            case "GETRANGE" -> {
                return substring(text, a[1], a[2]);
            }
            case "SETRANGE" -> {
                return overwrite(a[0], text, Integer.parseInt(a[1]), a[2]);
            }
            case "PEXPIRE" -> {
                if (found == null) {
                    return 0L;
                }
                expiries.put(a[0], now + Long.parseLong(a[1]));
                return 1L;
            }
            case "PTTL" -> {
                return found == null ? -2L : expiries.containsKey(a[0]) ? expiries.get(a[0]) - now : -1L;
            }
            case "PERSIST" -> {
                return expiries.remove(a[0]) == null ? 0L : 1L;
            }
            default -> throw new AssertionError(name);
        }
    }

    private static String substring(String text, String from, String to) {
        int end = Integer.parseInt(to);
        // An end in front of the string is its first byte, in strings alone.
        int start = Integer.parseInt(from);
        int clipped = end < -text.length() && (start >= 0 || start <= end) ? 0 : end;
        int[] range = range(from, Integer.toString(clipped), text.length());
        return range[0] < range[1] ? text.substring(range[0], range[1]) : "";
    }

    private long overwrite(String key, String text, int at, String by) {
        if (by.isEmpty()) {
            return text.length();
        }
        StringBuilder result = new StringBuilder(text);
        result.setLength(Math.max(text.length(), at + by.length()));
        result.replace(at, at + by.length(), by);
        values.put(key, result.toString());
        return result.length();
    }

    /** Start and end, exclusive, of a range of Redis. */
    private static int[] range(String start, String end, int size) {
        int from = Integer.parseInt(start);
        int to = Integer.parseInt(end);
        if (from < 0 && to < 0 && from > to) {
            return new int[] {0, 0};
        }
        from = Math.max(0, from < 0 ? size + from : from);
        to = Math.min(size - 1, to < 0 ? size + to : to);
        return from > to ? new int[] {0, 0} : new int[] {from, to + 1};
    }

    private Object list(String name, String[] a) {
        ArrayList<Object> list = open(a[0], new ArrayList<>());
        switch (name) {
            case "LPUSH", "RPUSH" -> {
                for (int i = 1; i < a.length; i++) {
                    list.add(name.equals("LPUSH") ? 0 : list.size(), a[i]);
                }
                return (long) list.size();
            }
            case "LPOP", "RPOP" -> {
                return list.isEmpty() ? null : list.remove(name.equals("LPOP") ? 0 : list.size() - 1);
            }
            case "LRANGE", "LTRIM" -> {
                int[] range = range(a[1], a[2], list.size());
                List<Object> part = new ArrayList<>(list.subList(range[0], range[1]));
                if (name.equals("LRANGE")) {
                    return part;
                }
                list.retainAll(List.of());
                list.addAll(part);
                return OK;
            }
            case "LINDEX" -> {
                int index = Integer.parseInt(a[1]);
                int at = index < 0 ? list.size() + index : index;
                return at < 0 || at >= list.size() ? null : list.get(at);
            }
            case "LSET" -> {
                int index = Integer.parseInt(a[1]);
                int at = index < 0 ? list.size() + index : index;
                if (list.isEmpty()) {
                    return "ERR no such key";
                }
                if (at < 0 || at >= list.size()) {
                    return "ERR index out of range";
                }
                list.set(at, a[2]);
                return OK;
            }
            case "LREM" -> {
                int count = Integer.parseInt(a[1]);
                if (count < 0) {
                    Collections.reverse(list);
                }
                long removed = 0;
                while ((count == 0 || removed < Math.abs(count)) && list.remove(a[2])) {
                    removed++;
                }
                if (count < 0) {
                    Collections.reverse(list);
                }
                return removed;
            }
            default -> throw new AssertionError(name);
        }
    }

    private Object set(String name, String[] a) {
        TreeSet<String> set = open(a[0], new TreeSet<>());
        long before = set.size();
        List<String> members = Arrays.asList(a).subList(1, a.length);
        switch (name) {
            case "SADD" -> {
                set.addAll(members);
                return set.size() - before;
            }
            case "SREM" -> {
                members.forEach(set::remove);
                return before - set.size();
            }
            case "SISMEMBER" -> {
                return set.contains(a[1]) ? 1L : 0L;
            }
            case "SCARD" -> {
                return before;
            }
            case "SMEMBERS" -> {
                return new ArrayList<Object>(set);
            }
            default -> throw new AssertionError(name);
        }
    }

    private Object hash(String name, String[] a) {
        HashMap<String, String> hash = open(a[0], new HashMap<>());
        long before = hash.size();
        switch (name) {
            case "HSET" -> {
                for (int i = 1; i < a.length; i += 2) {
                    hash.put(a[i], a[i + 1]);
                }
                return hash.size() - before;
            }
            case "HGET" -> {
                return hash.get(a[1]);
            }
            case "HDEL" -> {
                Arrays.asList(a).subList(1, a.length).forEach(hash::remove);
                return before - hash.size();
            }
            case "HLEN" -> {
                return before;
            }
            case "HGETALL" -> {
                List<Object> all = new ArrayList<>();
                hash.forEach((field, value) -> all.addAll(List.of(field, value)));
                return all;
            }
            default -> throw new AssertionError(name);
        }
    }

    private Object sortedSet(String name, String[] a) {
        TreeMap<String, Long> set = open(a[0], new TreeMap<>());
        long before = set.size();
        List<Map.Entry<String, Long>> ordered = new ArrayList<>(set.entrySet());
        // Sorted by member already, and the sort is stable.
        ordered.sort(Comparator.comparingLong(Map.Entry::getValue));
        switch (name) {
            case "ZADD" -> {
                for (int i = 1; i < a.length; i += 2) {
                    set.put(a[i + 1], Long.parseLong(a[i]));
                }
                return set.size() - before;
            }
            case "ZREM" -> {
                Arrays.asList(a).subList(1, a.length).forEach(set::remove);
                return before - set.size();
            }
            case "ZSCORE" -> {
                return set.containsKey(a[1]) ? Long.toString(set.get(a[1])) : null;
            }
            case "ZRANK" -> {
                int rank = ordered.stream().map(Map.Entry::getKey).toList().indexOf(a[1]);
                return rank < 0 ? null : (Object) (long) rank;
            }
            case "ZRANGE" -> {
                int[] range = range(a[1], a[2], ordered.size());
                return flat(ordered.subList(range[0], range[1]));
            }
            case "ZCOUNT" -> {
                return set.values().stream()
                        .filter(score -> score >= Long.parseLong(a[1]) && score <= Long.parseLong(a[2]))
                        .count();
            }
            case "ZPOPMIN" -> {
                List<Object> popped = flat(ordered.subList(0, Math.min(1, ordered.size())));
                if (!popped.isEmpty()) {
                    set.remove((String) popped.get(0));
                }
                return popped;
            }
            default -> throw new AssertionError(name);
        }
    }

    private static List<Object> flat(List<Map.Entry<String, Long>> pairs) {
        List<Object> flat = new ArrayList<>();
        pairs.forEach(pair -> flat.addAll(List.of(pair.getKey(), Long.toString(pair.getValue()))));
        return flat;
    }
}
