package io.verbena.verification.conformance;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The fabrics to run on: all, or those of the columns that a configuration parameter names. */
final class Fabrics implements ArgumentsProvider {
    /** Names columns by their option, separated by commas. */
    static final String PARAMETER = "verbena.conformance.fabrics";

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        String wanted = context.getConfigurationParameter(PARAMETER).orElse("");
        return Arrays.stream(Fabric.values())
                .filter(f -> wanted.isEmpty() || ("," + wanted + ",").contains("," + f.column.option + ","))
                .map(Arguments::of);
    }
}
