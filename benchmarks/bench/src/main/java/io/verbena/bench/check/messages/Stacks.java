package io.verbena.bench.check.messages;

import java.util.Map;
import java.util.stream.Collectors;

/** What all threads of this process are doing. */
final class Stacks {
    private static final int DEPTH = 25;

    private Stacks() {}

    static String all() {
        StringBuilder text = new StringBuilder("threads:");
        for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet().stream()
                .filter(e -> e.getValue().length > 0)
                .collect(Collectors.toList())) {
            text.append("\n  ")
                    .append(e.getKey().getName())
                    .append(' ')
                    .append(e.getKey().getState());
            StackTraceElement[] stack = e.getValue();
            for (int i = 0; i < Math.min(DEPTH, stack.length); i++) {
                text.append("\n      at ").append(stack[i]);
            }
        }
        return text.toString();
    }
}
