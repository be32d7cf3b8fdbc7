package io.verbena;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.verbena.connection.Dialer;
import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.dispatch.Turns;
import io.verbena.fabric.Nanos;
import java.util.Set;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Holds the arrows between the packages of the framework: {@code io.verbena} is for users, and the products that stand
 * on it. What lies below it otherwise is not, and knows of it only values. That apps and benchmarks keep to {@code
 * io.verbena} is held where those are built.
 */
@ArchTag("computed")
@AnalyzeClasses(packages = "io.verbena", importOptions = PackagesTest.TheFrameworkAlone.class)
class PackagesTest {
    private static final String[] INTERNAL = {
        "io.verbena.admin..",
        "io.verbena.call..",
        "io.verbena.channel..",
        "io.verbena.connection..",
        "io.verbena.dispatch..",
        "io.verbena.link..",
        "io.verbena.merge..",
        "io.verbena.mux..",
        "io.verbena.path..",
        "io.verbena.rate..",
        "io.verbena.remote.."
    };

    /** What is for users, too, and stands on {@code io.verbena} as they do. */
    private static final String[] PRODUCTS = {"io.verbena.file..", "io.verbena.tier.."};

    /**
     * What the framework's parts say to each other in the users' words: values, results, reasons, and who is told of a
     * result.
     */
    private static final DescribedPredicate<JavaClass> VALUES = belongToAnyOf(
            AccessRequest.class,
            Address.class,
            CloseReason.class,
            ConnectionException.class,
            MergingStatistics.class,
            MuxScheduler.class,
            NodeRuntime.class,
            OperationHandler.class,
            OperationHandler[].class,
            Outcome.class,
            RateExchange.class,
            RateExchange.Ignored.class,
            RateStatistics.class,
            RegionStatistics.class,
            Right.class,
            SendResult.class,
            TenantAllocation.class);

    /** This module's own classes, and the examples. */
    static final class TheFrameworkAlone implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return location.contains("/framework/target/classes/")
                    || location.contains("/framework/target/test-classes/io/verbena/examples/");
        }
    }

    @ArchTest
    static void everyPackageIsSeen(JavaClasses classes) {
        for (String each : INTERNAL) {
            assertThat(classes.stream().filter(resideInAPackage(each))).as(each).isNotEmpty();
        }
        for (String each : PRODUCTS) {
            assertThat(classes.stream().filter(resideInAPackage(each))).as(each).isNotEmpty();
        }
    }

    @ArchTest
    static final ArchRule whatLiesBelowIsInternal = classes()
            .that()
            .resideInAPackage("io.verbena.*..")
            .and()
            .resideOutsideOfPackages(PRODUCTS)
            .and()
            .resideOutsideOfPackage("io.verbena.examples..")
            .should()
            .resideInAnyPackage(INTERNAL);

    @ArchTest
    static final ArchRule productsUseNoInternals =
            noClasses().that().resideInAnyPackage(PRODUCTS).should().dependOnClassesThat(resideInAnyPackage(INTERNAL));

    @ArchTest
    static final ArchRule nothingUsesProducts = noClasses()
            .that()
            .resideOutsideOfPackages(PRODUCTS)
            .should()
            .dependOnClassesThat(resideInAnyPackage(PRODUCTS));

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("io.verbena.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule internalsKnowValuesAlone = noClasses()
            .that()
            .resideInAnyPackage(INTERNAL)
            .should()
            .dependOnClassesThat(resideInAPackage("io.verbena").and(not(VALUES)).as("are of io.verbena and no values"));

    @ArchTest
    static final ArchRule ratesArePureCode = classes()
            .that()
            .resideInAPackage("io.verbena.rate")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.verbena.rate", "java.lang..", "java.util", "org.jspecify.annotations");

    /** What reads the time by itself. */
    private static final Set<String> CLOCKS = Set.of(
            System.class.getName() + ".nanoTime",
            System.class.getName() + ".currentTimeMillis",
            Nanos.class.getName() + ".fromNow",
            SystemNanoClock.class.getName() + ".INSTANCE");

    /** Where somebody waits in real time: a user for a connection, a thread for another one to leave. */
    private static final Set<String> REAL_TIME = Set.of(
            Dialer.class.getName() + ".open",
            Dialer.class.getName() + ".openAsync",
            Dialer.class.getName() + ".ask",
            Dialer.class.getName() + ".await",
            SingleThreadGuard.class.getName() + ".awaitStores",
            Turns.class.getName() + ".end",
            Turns.class.getName() + ".awaitEnd");

    @ArchTest
    static final ArchRule internalsRunByTheNodesClock = noClasses()
            .that()
            .resideInAnyPackage(INTERNAL)
            .should()
            .accessTargetWhere(
                    DescribedPredicate.describe("is a clock that nobody has injected", PackagesTest::readsTime));

    @ArchTest
    static final ArchRule productsReadTheTimeToWaitAlone = noClasses()
            .that()
            .resideInAnyPackage(PRODUCTS)
            .and()
            .doNotHaveSimpleName("Deadline")
            .should()
            .accessTargetWhere(
                    DescribedPredicate.describe("is a clock that nobody has injected", PackagesTest::readsTime));

    private static boolean readsTime(JavaAccess<?> access) {
        return CLOCKS.contains(nameOf(access.getTargetOwner(), access.getTarget()))
                && !REAL_TIME.contains(nameOf(access.getOriginOwner(), access.getOrigin()));
    }

    private static String nameOf(JavaClass owner, HasName member) {
        return owner.getName() + "." + member.getName();
    }

    @ArchTest
    static final ArchRule examplesUseNoInternals = noClasses()
            .that()
            .resideInAPackage("io.verbena.examples..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(INTERNAL));
}
