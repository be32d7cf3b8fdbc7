import io.verbena.CallException;
import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.Outcome;
import io.verbena.Requester;
import io.verbena.SendResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Calls: a hundred at a time as futures, one that fails, and one that nobody answers. */
public final class Calls {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] args) {
        try (Node server = Node.launch(new NodeContext().name("squares").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("asker"));
                Requester requester = client.openRequester().pollOnNode()) {
            server.openResponder("square").onRequest(r -> {
                if (!r.text().isEmpty()) { // an empty request is never answered
                    long number = Long.parseLong(r.text());
                    if (r.reply(Long.toString(number * number)) == SendResult.BACK_PRESSURED) {
                        r.again();
                    }
                }
            });
            Channel square = requester.connect(server.addresses().get(0) + "/square", TIMEOUT);

            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                answers.add(requester.call(square, bytes(Integer.toString(i)), TIMEOUT));
            }
            for (int i = 0; i < 100; i++) {
                String answer = new String(answers.get(i).join(), StandardCharsets.UTF_8);
                Check.that(answer.equals(Integer.toString(i * i)), i + " squared is not " + answer);
            }
            System.out.println("100 calls answered");
            expect(Outcome.FAILED, requester.call(square, bytes("seven"), TIMEOUT));
            expect(Outcome.EXPIRED, requester.call(square, new byte[0], Duration.ofMillis(50)));
        }
    }

    private static void expect(Outcome outcome, CompletableFuture<byte[]> answer) {
        try {
            Check.that(false, "a result of " + answer.join().length + " bytes, expected " + outcome);
        } catch (CompletionException e) {
            CallException why = (CallException) e.getCause();
            Check.that(why.outcome() == outcome, "outcome " + why.outcome() + ", expected " + outcome);
            System.out.println(why.getMessage());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
