package io.verbena.connection;

import io.verbena.AccessRequest;
import io.verbena.Right;
import io.verbena.fabric.RejectionLog;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.memory.Access;
import io.verbena.nic.port.LogRateLimiter;
import java.nio.ByteBuffer;
import java.util.Set;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What peers may do with a node's inboxes, responders and regions: asks its {@link AccessRules}. Refusals are counted
 * and logged. Under the lock of {@link Connections}.
 */
public final class AccessControl {
    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);

    private final AccessRules rules;
    private final String nodeName;
    private final NanoClock clock;
    private final RejectionLog rejections;
    private final LogRateLimiter failures = new LogRateLimiter();

    AccessControl(AccessRules rules, String nodeName, NanoClock clock, RejectionLog rejections) {
        this.rules = rules;
        this.nodeName = nodeName;
        this.clock = clock;
        this.rejections = rejections;
    }

    /**
     * What a peer may do with what it asks for: the accesses of a region; any bits for the rest; 0 for nothing.
     *
     * @param target what that is, or null if there is no such thing
     */
    int rights(PeerIdentity peer, ConnectionFlyweight request, @Nullable Target target) {
        String tenant = target == null ? "" : target.owner().name();
        AccessRequest asked = new AccessRequest(
                peer,
                request.node(),
                target == null ? kindOf(request) : target.kind(),
                request.text(),
                tenant,
                ByteBuffer.wrap(request.token()).asReadOnlyBuffer());
        Set<Right> rights = Set.of();
        String reason = "the AccessPolicy gives no right to that";
        if (peer.tenant() != null && target != null && !peer.tenant().equals(tenant)) {
            reason = "it is bound to another tenant than '" + tenant + "'";
        } else {
            try {
                rights = rules.rights().apply(asked);
            } catch (RuntimeException e) {
                logFailure(asked, e);
                reason = "the AccessPolicy failed: " + e;
            }
        }
        int granted = accesses(asked.kind(), rights);
        if (target != null && granted != 0) {
            granted &= target.grantable();
            reason = "its owner shares it without the rights that the AccessPolicy gives";
        }
        if (granted == 0) {
            rejections.rejected("node '" + request.node() + "'", asked + ": " + reason);
        }
        return granted;
    }

    private void logFailure(AccessRequest asked, RuntimeException e) {
        long leftOut = failures.ask(clock.nanoTime());
        if (leftOut >= 0) {
            LOG.warn("node '{}': the AccessPolicy failed for: {}; {} such lines left out", nodeName, asked, leftOut, e);
        }
    }

    /** What something would be that does not exist. */
    private static AccessRequest.Kind kindOf(ConnectionFlyweight request) {
        return request.kind() == ConnectionFlyweight.REGION ? AccessRequest.Kind.REGION : AccessRequest.Kind.INBOX;
    }

    private static int accesses(AccessRequest.Kind kind, Set<Right> rights) {
        switch (kind) {
            case INBOX:
                return rights.contains(Right.SEND) ? Access.REMOTE : 0;
            case RESPONDER:
                return rights.contains(Right.CALL) ? Access.REMOTE : 0;
            default:
                int accesses = 0;
                for (Right right : rights) {
                    accesses |= access(right);
                }
                return accesses;
        }
    }

    /** The access to a region that a right gives; 0 for those that are not to regions. */
    public static int access(Right right) {
        return switch (right) {
            case READ -> Access.REMOTE_READ;
            case WRITE -> Access.REMOTE_WRITE;
            case ATOMIC -> Access.REMOTE_ATOMIC;
            case SEND, CALL -> 0;
        };
    }
}
