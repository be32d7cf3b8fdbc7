/**
 * Who a peer is: certificates and the rules that map their names, and what a handshake has proven.
 *
 * <pre>
 *   TlsOptions ─▶ TlsCredentials ─▶ SslHandler of a connection
 *   PeerRules  ─▶ the certificate's names ─▶ PeerIdentity of the link
 * </pre>
 */
@NullMarked
package io.verbena.fabric.security;

import org.jspecify.annotations.NullMarked;
