package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.SplittableRandom;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Patterns match what those of Linux do. */
class GlobsTest {
    private static final String[] PARTS = {
        "a", "b", "-", "*", "**", "?", "[ab]", "[!a]", "[a-c]", "[-a]", "[a-]", "{a,b*}", "{", "}", ",", "/", ".",
        "\\*", "[^a]", "$", "(", "|", "[a&&b]", "[\\]", "\\"
    };
    private static final String[] NAMES = {
        "a", "b", "c", "-", "*", ".", "/", "$", "(", "|", "&", "^", "{", "}", ",", "\\"
    };

    @Test
    @EnabledOnOs(OS.LINUX)
    void globsMatchWhatThoseOfLinuxDo() {
        SplittableRandom random = new SplittableRandom(1);
        int matches = 0;
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            String glob = "glob:" + pick(random, PARTS, 4);
            PathMatcher model = matcher(glob, true);
            PathMatcher ours = matcher(glob, false);
            assertThat(ours == null).as(glob).isEqualTo(model == null);
            for (int j = 0; j < 5 && model != null && ours != null; j++) {
                Path path = Path.of(pick(random, NAMES, 4));
                assertThat(ours.matches(path)).as("%s and %s", glob, path).isEqualTo(model.matches(path));
                matches += model.matches(path) ? 1 : 0;
            }
            refused += model == null ? 1 : 0;
        }
        assertThat(matches).isGreaterThan(1_000);
        assertThat(refused).isGreaterThan(100);
    }

    private static String pick(SplittableRandom random, String[] from, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(1, most + 1); i > 0; i--) {
            text.append(from[random.nextInt(from.length)]);
        }
        return text.toString();
    }

    /** Null: it is no pattern. */
    private static PathMatcher matcher(String glob, boolean isModel) {
        try {
            return isModel ? FileSystems.getDefault().getPathMatcher(glob) : Globs.matcher(glob);
        } catch (PatternSyntaxException e) {
            return null;
        }
    }

    @Test
    void otherSyntaxes() {
        assertThat(Globs.matcher("REGEX:[ab]+").matches(Path.of("abba"))).isTrue();
        assertThat(Globs.matcher("regex:[ab]+").matches(Path.of("abbc"))).isFalse();
        assertThatThrownBy(() -> Globs.matcher("sql:%")).isInstanceOf(UnsupportedOperationException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> Globs.matcher("*.java"));
    }
}
