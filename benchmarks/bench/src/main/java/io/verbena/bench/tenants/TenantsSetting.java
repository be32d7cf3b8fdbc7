package io.verbena.bench.tenants;

import io.verbena.nic.NicContext;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;

/**
 * One measurement of tenants beside each other.
 *
 * @param fabric between the NIC on which they all send and the one that takes
 * @param twoProcesses whether the other side is in a process of its own
 * @param discipline of the sending NIC
 * @param unit that it charges
 * @param tenants all that keep it busy
 * @param ping what else is sent, and timed
 * @param warmup seconds that are not counted
 * @param seconds that are
 */
public record TenantsSetting(
        FabricKind fabric,
        boolean twoProcesses,
        Discipline discipline,
        ChargedUnit unit,
        List<MeasuredTenant> tenants,
        Ping ping,
        double warmup,
        double seconds) {
    private static final int MIN_QUEUE_PAIRS = 1024;

    /** Checks what contradicts itself. */
    public TenantsSetting {
        tenants = List.copyOf(tenants);
        if (twoProcesses && fabric == FabricKind.LOCAL) {
            throw new RunException("fabric local is within one process");
        }
        if (seconds <= 0 || warmup < 0) {
            throw new RunException("seconds " + seconds + " after " + warmup + " to warm up");
        }
        if (twoProcesses && tenants.stream().anyMatch(each -> each.conduct() == Conduct.INVALID)) {
            throw new RunException("queue pairs that break are brought back within one process only");
        }
    }

    /**
     * What the sending NIC is opened with. It has a thread, since what it has to send is to wait for it and not for who
     * posts; a ping is executed by who posts it.
     */
    NicContext near() {
        return far().mode(ping == Ping.NONE ? EngineMode.THREAD : EngineMode.INVOKER)
                .arbiter(ArbiterSettings.defaults().withDiscipline(discipline).withUnit(unit));
    }

    /** What the other NIC is opened with. Who polls runs its engine. */
    NicContext far() {
        int wanted = 16 + tenants.stream().mapToInt(MeasuredTenant::queuePairs).sum();
        return new NicContext()
                .mode(EngineMode.INVOKER)
                .maxQueuePairs(Math.max(MIN_QUEUE_PAIRS, Integer.highestOneBit(wanted) << 1));
    }

    /** Whether one of the tenants sends to a peer that never answers. */
    boolean hasSilent() {
        return tenants.stream().anyMatch(each -> each.conduct() == Conduct.SILENT);
    }
}
