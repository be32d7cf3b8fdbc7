package io.verbena.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.JvmFlags;
import org.junit.jupiter.api.Test;

class JvmOptionsTest {
    /** {@code java -jar} has them from the manifest, and they are among its arguments neither then nor for a child. */
    @Test
    void whatTheManifestOpensAChildIsTold() {
        assertThat(JvmOptions.ofModules())
                .startsWith(
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
        assertThat(JvmOptions.ofModules().get(0)).isEqualTo(JvmFlags.EXPORTS.replace("exports ", "exports="));
        assertThat(JvmOptions.inherited()).containsAll(JvmOptions.ofModules());
    }

    @Test
    void agentsStayHere() {
        assertThat(JvmOptions.inherited()).noneMatch(each -> each.startsWith("-javaagent"));
    }
}
