package io.verbena.fabric.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerRulesTest {
    @ParameterizedTest
    @CsvSource({
        "*, anything, true",
        "a.example, A.Example, true",
        "a.example, b.a.example, false",
        "a.example, a.example.evil, false",
        "*.example, a.example, true",
        "*.example, a.b.example, false",
        "*.example, .example, false",
        "*.example, example, false",
        "*.example, a.example.evil, false",
        "spiffe://x/kv/*, spiffe://x/kv/1/2, true",
        "spiffe://x/kv/*, spiffe://x/other, false",
        "spiffe://x/kv/*, spiffe://x/k, false"
    })
    void patternsMatchWholeNames(String pattern, String name, boolean expected) {
        assertThat(PeerRules.none().accept(pattern).identify(List.of(name)) != null)
                .isEqualTo(expected);
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        PeerRules rules = PeerRules.none()
                .accept("a.example", "first", "t1")
                .accept("*.example", "t2")
                .accept("*");
        assertThat(rules.identify(List.of("b.example", "a.example")))
                .isEqualTo(new PeerIdentity("first", "t1", PeerIdentity.Proof.CERTIFICATE));
        assertThat(rules.identify(List.of("b.example")))
                .isEqualTo(new PeerIdentity("b.example", "t2", PeerIdentity.Proof.CERTIFICATE));
        assertThat(rules.identify(List.of("c"))).isEqualTo(new PeerIdentity("c", null, PeerIdentity.Proof.CERTIFICATE));
        assertThat(PeerRules.none().identify(List.of("c"))).isNull();
        assertThat(PeerRules.anyTrusted().identify(List.of()))
                .as("a certificate without names")
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a*b", "**", "*x", "*.a*", "*."})
    void aPatternThatIsNoneIsRefused(String pattern) {
        assertThatThrownBy(() -> PeerRules.none().accept(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pattern '" + pattern + "'");
    }
}
