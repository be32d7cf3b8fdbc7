package io.verbena.bench.channels;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.bench.trial.SinkProcess;
import io.verbena.verification.Waits;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The receivers of {@link GuiltyCommand}: one for the victims, and those that fail. */
@Command(name = "guilty-peer", description = "Receives; started by bench.")
public final class GuiltyPeer implements Callable<Integer> {
    /** Answers each short message. */
    static final String ECHO = "echo";

    /** Nobody takes what is in it, and it holds little. */
    static final String FULL = "full";

    /** Closes and opens again all the time. */
    static final String CLOSING = "closing";

    /** Longest message that {@link #ECHO} takes. */
    static final int LONGEST = 1 << 20;

    /** Longest message that {@link #FULL} takes. */
    static final int LONGEST_OF_FULL = 1 << 10;

    private static final double OPEN_SECONDS = 0.005;

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    @Override
    public Integer call() {
        ParentWatch.start();
        try (Node node = Node.launch(SinkProcess.context().sharedMemory(listen.startsWith("shm:")))) {
            node.openInbox(ECHO, new InboxOptions().maxMessage(LONGEST)).onMessage(m -> {
                Channel channel = m.channel();
                if (channel != null
                        && m.length() <= Victims.LENGTH
                        && channel.offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    m.again();
                }
            });
            node.openInbox(
                    FULL,
                    new InboxOptions()
                            .chunkLength(64 << 10)
                            .maxMessage(LONGEST_OF_FULL)
                            .memoryLimit(256 << 10));
            System.out.println(SinkProcess.ADDRESS + node.listen(listen) + "/");
            System.out.flush();
            while (true) { // ParentWatch ends it
                try (Inbox closing = node.openInbox(CLOSING)) {
                    closing.onMessage(m -> {});
                    Waits.sleep(OPEN_SECONDS);
                }
            }
        }
    }
}
