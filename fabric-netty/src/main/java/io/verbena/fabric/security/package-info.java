/**
 * Who a peer is: certificates and the rules that map their names, a secret that both sides share, and what
 * a handshake has proven.
 *
 * <pre>
 *   TlsOptions ─▶ TlsCredentials ─▶ SslHandler of a connection
 *   PeerRules  ─▶ the certificate's names ─▶ PeerIdentity of the link
 *   SharedSecret ─▶ SecretHandshake      ─┘
 *   LocalUser, from the kernel   ─────────┘
 * </pre>
 */
@NullMarked
package io.verbena.fabric.security;

import org.jspecify.annotations.NullMarked;
