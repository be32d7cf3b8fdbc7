package io.verbena.bench.tenants;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.bench.path.Idle;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.bench.trial.Json;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * A measurement in a process of its own, so that each discipline is compiled as if it were the only one; or the other side of
 * one. Started by the commands.
 */
@Command(name = "tenants-process", description = "Tenants beside each other; started by bench.")
public final class TenantsProcess implements Callable<Integer> {
    private static final String RUN = "run";
    private static final String FAR = "far";
    private static final String BESIDE = "beside";
    private static final String AERON = "aeron";
    private static final String BYE = "bye";
    private static final String MARK = "result ";
    private static final double SECONDS_TO_END = 20;
    private static final double SECONDS_TO_SET_UP = 120;

    @Parameters(index = "0")
    String role = "";

    @Parameters(index = "1", description = "A setting in JSON.")
    String json = "";

    /**
     * Measures in a process of its own, with the other side in a third where the setting says so.
     *
     * @throws RunException if either process fails, or does not end in time
     */
    public static TenantsResult measure(TenantsSetting setting) {
        return measure(RUN, setting, TenantsResult.class);
    }

    /** The echo beside a flood over Aeron, in a process of its own. */
    static TenantsResult measureAeron(AeronFlood.Setting setting) {
        return measure(AERON, setting, TenantsResult.class);
    }

    /** A victim before an adversary and during it, in a process of its own. */
    static Beside measureBeside(Beside.Setting setting) {
        return measure(BESIDE, setting, Beside.class);
    }

    private static <R> R measure(String role, Object setting, Class<R> type) {
        try (JavaProcess process = new JavaProcess(TenantsProcess.class, List.of(role, Json.line(setting)))) {
            Process own = process.process();
            R result = null;
            try (BufferedReader out = own.inputReader(StandardCharsets.UTF_8)) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.startsWith(MARK)) {
                        result = Json.parse(line.substring(MARK.length()), type);
                    }
                }
            } catch (IOException e) {
                throw new RunException("lost the measurement's process: " + e.getMessage(), e);
            }
            process.await(SECONDS_TO_END);
            if (result == null) {
                throw new RunException("the measurement's process ended without a result");
            }
            return result;
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        if (role.equals(FAR)) {
            int[] status = {1};
            Thread thread = new FastThreadLocalThread(() -> status[0] = guard(this::far), "far side");
            thread.start();
            thread.join();
            return status[0];
        }
        ParentWatch.start();
        return guard(this::run);
    }

    private int guard(Runnable work) {
        try {
            work.run();
            return 0;
        } catch (RunException e) {
            System.err.println(role + ": " + e.getMessage());
            return 1;
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            return 1;
        }
    }

    private void run() {
        Object result;
        if (role.equals(BESIDE)) {
            Beside.Setting setting = Json.parse(json, Beside.Setting.class);
            limit(2 * (setting.warmup() + setting.seconds()));
            result = TenantsRun.run(setting);
        } else if (role.equals(AERON)) {
            AeronFlood.Setting setting = Json.parse(json, AeronFlood.Setting.class);
            limit(setting.warmup() + setting.seconds());
            result = AeronFlood.run(setting);
        } else {
            TenantsSetting setting = Json.parse(json, TenantsSetting.class);
            limit(setting.warmup() + setting.seconds());
            result = setting.twoProcesses() ? runTwo(setting) : TenantsRun.run(setting);
        }
        System.out.println(MARK + Json.line(result));
        System.out.flush();
    }

    /** A measurement that hangs ends; who waits for its result hears of it. */
    private static void limit(double seconds) {
        Thread limit = new Thread(() -> endAfter(seconds + SECONDS_TO_SET_UP), "limit");
        limit.setDaemon(true);
        limit.start();
    }

    private static void endAfter(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1e3));
        } catch (InterruptedException e) {
            return;
        }
        System.err.println("the measurement has not ended in time");
        Runtime.getRuntime().halt(1);
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

    private void far() {
        TenantsSetting setting = Json.parse(json, TenantsSetting.class);
        Rendezvous rendezvous = Rendezvous.withParent();
        try (FarSide side = FarSide.open(setting, rendezvous)) {
            Idle idle = new Idle();
            while (!rendezvous.isOver() && !BYE.equals(rendezvous.heard())) {
                if (side.turn() == 0) {
                    idle.idle();
                } else {
                    idle.reset();
                }
            }
        }
    }
}
