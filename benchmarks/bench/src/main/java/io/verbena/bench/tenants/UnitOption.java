package io.verbena.bench.tenants;

import io.verbena.nic.arbiter.ChargedUnit;
import picocli.CommandLine.Option;

/** {@code --unit}: what tenants share. */
final class UnitOption {
    @Option(
            names = "--unit",
            paramLabel = "<name>",
            description = "What is shared: bytes, nic-time or operations; default ${DEFAULT-VALUE}.")
    String name = "bytes";

    ChargedUnit charged() {
        return Choice.of(ChargedUnit.class, name);
    }
}
