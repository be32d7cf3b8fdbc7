package io.verbena.bench.tenants;

import io.verbena.bench.path.Idle;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.trial.ChildCommand;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.bench.trial.Json;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.verification.RunException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;

/**
 * A measurement in a process of its own, so that each discipline is compiled as if it were the only one; or the other
 * side of one. Started by the commands.
 */
@Command(name = "tenants-process", description = "Tenants beside each other; started by bench.")
public final class TenantsProcess extends ChildCommand {
    private static final String RUN = "run";
    private static final String FAR = "far";
    private static final String BESIDE = "beside";
    private static final String AERON = "aeron";
    private static final String COUNT = "count";
    private static final String BYE = "bye";
    private static final long PAUSE_NANOS = 50_000;
    private static final double SECONDS_TO_END = 20;
    private static final double SECONDS_TO_SET_UP = 120;

    /**
     * Measures in a process of its own, with the other side in a third where the setting says so.
     *
     * @throws RunException if either process fails, or does not end in time
     */
    public static TenantsResult measure(TenantsSetting setting) {
        return measure(RUN, setting, TenantsResult.class, setting.warmup() + setting.seconds());
    }

    /** The echo beside a flood over Aeron, in a process of its own. */
    static TenantsResult measureAeron(AeronFlood.Setting setting) {
        return measure(AERON, setting, TenantsResult.class, setting.warmup() + setting.seconds());
    }

    /** A victim before an adversary and during it, in a process of its own. */
    static Beside measureBeside(Beside.Setting setting) {
        return measure(BESIDE, setting, Beside.class, 2 * (setting.warmup() + setting.seconds()));
    }

    private static <R> R measure(String role, Object setting, Class<R> type, double seconds) {
        try (JavaProcess process = new JavaProcess(TenantsProcess.class, List.of(role, Json.line(setting)))) {
            return process.result(type, seconds + SECONDS_TO_SET_UP);
        }
    }

    @Override
    protected void run() {
        if (role.equals(FAR)) {
            far();
            return;
        }
        ParentWatch.start();
        if (role.equals(BESIDE)) {
            tell(TenantsRun.run(Json.parse(json, Beside.Setting.class)));
        } else if (role.equals(AERON)) {
            tell(AeronFlood.run(Json.parse(json, AeronFlood.Setting.class)));
        } else {
            TenantsSetting setting = Json.parse(json, TenantsSetting.class);
            tell(setting.twoProcesses() ? runTwo(setting) : TenantsRun.run(setting));
        }
    }

    private TenantsResult runTwo(TenantsSetting setting) {
        try (JavaProcess process = new JavaProcess(TenantsProcess.class, List.of(FAR, json))) {
            Process far = process.process();
            Rendezvous rendezvous = Rendezvous.withChild(far);
            TenantsResult result = TenantsRun.run(setting, rendezvous);
            rendezvous.tell(BYE);
            process.await(SECONDS_TO_END);
            return result;
        }
    }

    /** Asks a process that plays the other side what it has taken of each tenant so far. */
    static long[] taken(Rendezvous other) {
        other.tell(COUNT);
        return Json.parse(other.hear(() -> LockSupport.parkNanos(PAUSE_NANOS)), long[].class);
    }

    private void far() {
        TenantsSetting setting = Json.parse(json, TenantsSetting.class);
        Rendezvous rendezvous = Rendezvous.withParent();
        try (FarNic side = FarNic.open(setting, rendezvous)) {
            Idle idle = new Idle();
            for (String word = ""; !rendezvous.isOver() && !BYE.equals(word); word = rendezvous.heard()) {
                if (COUNT.equals(word)) {
                    rendezvous.tell(Json.line(side.taken()));
                }
                if (side.turn() == 0) {
                    idle.idle();
                } else {
                    idle.reset();
                }
            }
        }
    }
}
