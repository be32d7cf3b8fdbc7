package io.verbena.fabric.security;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** Who does the arithmetic of TLS. Stateless; any thread. */
public enum TlsProvider {
    /** BoringSSL if Netty's {@code netty-tcnative-boringssl-static} is on the class path and loads, else the JDK. */
    AUTO {
        @Override
        SslProvider provider() {
            return hasBoringSsl() ? SslProvider.OPENSSL : SslProvider.JDK;
        }
    },
    /** The JDK's own. */
    JDK {
        @Override
        SslProvider provider() {
            return SslProvider.JDK;
        }
    },
    /** BoringSSL through Netty's tcnative, or an error that says why it is not there. */
    BORINGSSL {
        @Override
        SslProvider provider() {
            if (!hasBoringSsl()) {
                throw new IllegalStateException(
                        "BoringSSL cannot be used; put netty-tcnative-boringssl-static "
                                + "for this platform on the class path,"
                                + " or choose AUTO or JDK",
                        OpenSsl.unavailabilityCause());
            }
            return SslProvider.OPENSSL;
        }
    };

    /** Whether BoringSSL is on the class path and loads. */
    public static boolean hasBoringSsl() {
        return OpenSsl.isAvailable() && SslProvider.isTlsv13Supported(SslProvider.OPENSSL);
    }

    abstract SslProvider provider();
}
