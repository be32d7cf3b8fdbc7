package io.verbena.redis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class CommandTableTest {
    private final CommandTable table = CommandTable.get();

    private Command find(String name) {
        UnsafeBuffer buffer = new UnsafeBuffer(("xx" + name).getBytes(StandardCharsets.ISO_8859_1));
        return table.find(buffer, 2, buffer.capacity() - 2);
    }

    @Test
    void findsEveryCommandInAnyCase() {
        for (Command command : table.commands()) {
            assertThat(find(command.name())).isSameAs(command);
            assertThat(find(command.name().toUpperCase(Locale.ROOT))).isSameAs(command);
            assertThat(find(command.name() + "!")).isNull();
            assertThat(find(command.name().substring(1))).isNotSameAs(command);
        }
        assertThat(find("")).isNull();
        assertThat(find("gEt").name()).isEqualTo("get");
        // Only letters have a case.
        assertThat(find("g\u0005t")).isNull();
    }

    @Test
    void everyOperationOfTheStoreIsOffered() {
        Set<KvOp> offered = new HashSet<>();
        for (int id = 0; id < table.size(); id++) {
            if (table.row(id).op() != null) {
                offered.add(table.row(id).op());
            }
        }
        assertThat(offered)
                .isEqualTo(new HashSet<>(Arrays.stream(KvOp.values())
                        .filter(op -> op != KvOp.TRANSACTION && op.group() != KvOp.Group.TRANSFER)
                        .toList()));
    }

    @Test
    void theProxyAndTheStoreAgreeAboutKeys() {
        for (Command command : table.commands()) {
            KvOp op = command.op();
            if (op != null) {
                int count = Math.abs(command.arity()) + (command.arity() < 0 ? 2 * command.keyStep() : 0);
                // The store counts without the name.
                assertThat(op.firstKey() + 1).as(command.name()).isEqualTo(command.firstKey());
                assertThat(op.lastKey(count - 1) + 1)
                        .as(command.name())
                        .isEqualTo(command.firstKey() == 0 ? 0 : lastKey(command, count));
                assertThat(op.keyStep()).as(command.name()).isEqualTo(command.keyStep());
                assertThat(op.concernsEveryShard()).as(command.name()).isEqualTo(command.firstKey() == 0);
                assertThat(command.is(CommandFlags.READONLY)).as(command.name()).isEqualTo(op.isRead());
                assertThat(command.is(CommandFlags.WRITE)).as(command.name()).isEqualTo(op.isWrite());
            }
        }
    }

    private static int lastKey(Command command, int count) {
        // MSET's last argument is a value, which Redis' position leaves to the step.
        return command.lastKey(count) - (command.lastKey() < 0 ? command.keyStep() - 1 : 0);
    }

    @Test
    void everyRowIsExecutedBySomebody() {
        for (int id = 0; id < table.size(); id++) {
            Command command = table.row(id);
            assertThat(command.id()).isEqualTo(id);
            assertThat(command.op() != null
                            || command.local() != null
                            || !command.subcommands().isEmpty())
                    .as(command.name())
                    .isTrue();
            assertThat(command.split() == Split.LOCAL).as(command.name()).isEqualTo(command.op() == null);
            assertThat(command.summary()).as(command.name()).isNotBlank();
        }
        for (Local local : Local.values()) {
            assertThat(table.commands().stream()
                            .anyMatch(command -> command.local() == local
                                    || command.subcommands().stream().anyMatch(sub -> sub.local() == local)))
                    .as(local.name())
                    .isTrue();
        }
    }

    @Test
    void findsSubcommands() {
        Command client = find("client");
        UnsafeBuffer name = new UnsafeBuffer("SetName".getBytes(StandardCharsets.US_ASCII));
        assertThat(client.subcommand(name, 0, 7).name()).isEqualTo("client|setname");
        assertThat(client.subcommand(name, 0, 3)).isNull();
        assertThat(table.find("client|setname").local()).isEqualTo(Local.CLIENT_SETNAME);
    }

    @Test
    void arityIsExactOrAMinimum() {
        assertThat(find("get").accepts(2)).isTrue();
        assertThat(find("get").accepts(1)).isFalse();
        assertThat(find("get").accepts(3)).isFalse();
        assertThat(find("set").accepts(3)).isTrue();
        assertThat(find("set").accepts(7)).isTrue();
        assertThat(find("set").accepts(2)).isFalse();
    }
}
