package io.verbena.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.JvmFlags;
import java.util.List;
import org.junit.jupiter.api.Test;

class JvmOptionsTest {
    /** {@code java -jar} has them from the manifest, and they are among its arguments neither then nor for a child. */
    @Test
    void whatTheManifestOpensAChildIsTold() {
        assertThat(JvmOptions.inherited(List.of("-Xmx1g")))
                .containsExactly(
                        JvmFlags.EXPORTS.replace("exports ", "exports="),
                        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                        "-Xmx1g");
        assertThat(JvmOptions.ofModules()).isNotEmpty().allMatch(each -> each.startsWith("--"));
    }

    @Test
    void agentsStayHere() {
        assertThat(JvmOptions.inherited(List.of("-javaagent:a.jar", "-agentlib:b", "-Xmx1g")))
                .endsWith("-Xmx1g")
                .noneMatch(each -> each.startsWith("-agentlib") || each.startsWith("-javaagent"));
    }
}
