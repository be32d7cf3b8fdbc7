import io.verbena.Channel;
import io.verbena.HeldMessage;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Messages that are kept where they lie, without a copy, and released in any order, while the inbox goes on. */
public final class Hold {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MESSAGES = 2_000;

    public static void main(String[] args) {
        try (Node node = Node.launch(new NodeContext().name("holder"))) {
            Inbox inbox = node.openInbox("in");
            Channel channel = node.connect("local:holder/in", TIMEOUT);
            List<HeldMessage> held = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                Check.that(channel.send("message " + i, TIMEOUT) == SendResult.SENT, "message " + i + " was not sent");
                Check.that(inbox.await(TIMEOUT), "message " + i + " did not come");
                inbox.poll(m -> held.add(m.hold()), 1);
            }
            Check.that(!held.contains(null), "more than maxHeld messages");
            for (int i = 0; i < MESSAGES; i++) {
                HeldMessage message = held.get(i);
                String text = message.buffer().getStringWithoutLengthUtf8(message.offset(), message.length());
                Check.that(text.equals("message " + i), "held '" + text + "' as message " + i);
            }
            Collections.shuffle(held, new Random(1));
            held.forEach(HeldMessage::release);
            Check.that(held.stream().noneMatch(HeldMessage::isHeld), "a message is held still");
            System.out.println("held " + MESSAGES + " messages, and released them in another order");
        }
    }
}
