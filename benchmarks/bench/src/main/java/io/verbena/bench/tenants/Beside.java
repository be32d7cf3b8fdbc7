package io.verbena.bench.tenants;

import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;

/**
 * A victim in one process, before an adversary begins and while it goes on.
 *
 * @param before without it
 * @param during beside it
 * @param attacks what the adversary did a second, if it is an {@link Attack}
 */
public record Beside(TenantsResult before, TenantsResult during, double attacks) {
    /**
     * How it is measured.
     *
     * @param fabric between the NIC on which the tenants send and the one that takes
     * @param adversary who wants the victim's share
     * @param ping what of the victim is timed; without one, it sends as much as it can
     * @param discipline of the sending NIC
     * @param unit that it charges
     * @param warmup seconds that are not counted, before and during
     * @param seconds that are, before and during
     */
    public record Setting(
            FabricKind fabric,
            Adversary adversary,
            Ping ping,
            Discipline discipline,
            ChargedUnit unit,
            double warmup,
            double seconds) {
        /** Who sends, and where to. */
        TenantsSetting tenants() {
            List<MeasuredTenant> all = adversary.tenants();
            List<MeasuredTenant> sending = ping == Ping.NONE ? all : all.subList(1, all.size());
            return new TenantsSetting(fabric, false, discipline, unit, sending, ping, warmup, seconds);
        }

        /** How many of them send before the adversary does. */
        int before() {
            return ping == Ping.NONE ? 1 : 0;
        }
    }
}
