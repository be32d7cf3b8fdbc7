package io.verbena.bench.trial;

import io.verbena.bench.NotAvailableException;
import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.LineProbe;
import io.verbena.bench.cores.SlicedRun;
import io.verbena.bench.path.End;
import io.verbena.bench.path.FarThread;
import io.verbena.bench.path.Idle;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.Waiting;
import io.verbena.verification.RunException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One end of a path, or both, in a process of its own, started by {@link Trial}. The near end starts the far end. */
@Command(name = "end", description = "Ends of a path; started by bench.")
public final class EndProcess extends ChildCommand {
    static final String NEAR = "near";
    static final String FAR = "far";
    static final String BOTH = "both";
    static final int FAR_SECONDS = 30;

    @Option(names = "--warmup")
    double warmup;

    @Option(names = "--seconds")
    double seconds = 1;

    @Option(names = "--cores", description = "A CorePair.")
    String cores = CorePair.NONE.text();

    private CorePair pair = CorePair.NONE;

    @Override
    protected void run() {
        Setting setting = Json.parse(json, Setting.class);
        pair = CorePair.parse(cores);
        PathKind kind = PathKind.of(setting.path());
        try {
            switch (role) {
                case FAR:
                    far(kind, setting);
                    break;
                case NEAR:
                    ParentWatch.start();
                    near(kind, setting);
                    break;
                case BOTH:
                    ParentWatch.start();
                    both(kind, setting);
                    break;
                default:
                    throw unknownRole("near, far or both");
            }
        } catch (VoidRunException e) {
            tell(Report.ofVoid(e));
        } catch (NotAvailableException e) {
            tell(Report.ofUnavailable(e));
        }
    }

    private void near(PathKind kind, Setting setting) {
        try (JavaProcess process = new JavaProcess(EndProcess.class, List.of(FAR, json, "--cores", cores))) {
            Process far = process.process();
            Rendezvous rendezvous = Rendezvous.withChild(far);
            Report report;
            try (End near = kind.open(rendezvous, true, setting.ofPath())) {
                CompilerTime compilers =
                        new CompilerTime(ProcessHandle.current().pid(), far.pid());
                report = measure(near, rendezvous, setting, compilers, () -> {
                    if (!far.isAlive()) {
                        throw new RunException("the far end is gone");
                    }
                });
                rendezvous.tell(FarSide.BYE);
                process.await(FAR_SECONDS);
            }
            tell(report);
        }
    }

    private void both(PathKind kind, Setting setting) {
        Rendezvous[] words = Rendezvous.pair();
        Report report;
        CompilerTime compilers = new CompilerTime(ProcessHandle.current().pid());
        try (FarThread far = new FarThread(kind, setting.ofPath(), end -> serve(end, words[1], setting))) {
            report = measure(far.near(), words[0], setting, compilers, far::check);
            words[0].tell(FarSide.BYE);
        }
        tell(report);
    }

    /** The path's own threads are there by now, and stay free. */
    private Report measure(End near, Rendezvous rendezvous, Setting setting, CompilerTime compilers, Runnable check) {
        pair.pinNear();
        Pace pace = new Pace(warmup, seconds);
        Measurement measurement = measurement(near, rendezvous, setting, check);
        try (LineProbe probe = new LineProbe(pair)) {
            SlicedRun run = new SlicedRun(probe::nanos, compilers::nanos);
            run.warmUp(pace.warmupNanos(setting.warmUpFactor()), measurement::warmUp);
            return Report.of(run.measure(pace.slices(), () -> measurement.run(pace.sliceNanos())));
        } catch (VoidRunException e) {
            return Report.ofVoid(e);
        }
    }

    private void serve(End far, Rendezvous rendezvous, Setting setting) {
        pair.pinFar();
        FarSide.serve(far, rendezvous, setting);
    }

    private static Measurement measurement(End near, Rendezvous rendezvous, Setting setting, Runnable check) {
        Vigil vigil = new Vigil(new Idle(near), check);
        switch (setting.measure()) {
            case ROUND_TRIP:
                return new RoundTripMeasurement(near, vigil);
            case SCHEDULED:
                // Whoever sends by a clock does not sleep: what it overslept would count as the path's.
                Vigil awake = new Vigil(new Idle(Waiting.SPIN_THEN_YIELD), check);
                return new ScheduledMeasurement(near, awake, setting.rate(), setting.depth());
            case WINDOW:
                return new WindowMeasurement(near, vigil, setting);
            case STREAM:
                return near.isAnswered()
                        ? new StreamMeasurement(near, rendezvous, check, setting)
                        : new WindowMeasurement(near, vigil, setting);
            default:
                throw new RunException(setting.measure().title() + " has no ends");
        }
    }

    private void far(PathKind kind, Setting setting) {
        Rendezvous rendezvous = Rendezvous.withParent();
        try (End far = kind.open(rendezvous, false, setting.ofPath())) {
            serve(far, rendezvous, setting);
        }
    }
}
