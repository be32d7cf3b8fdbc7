package io.verbena.bench.check.messages;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What is the same in a whole run.
 *
 * @param settings of the run
 * @param content of messages
 * @param findings where flaws go
 * @param streams the last number that a stream was given
 */
record RunContext(MessagesSettings settings, MessageContent content, Findings findings, AtomicInteger streams) {}
