package io.verbena.launcher;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;

/**
 * Holds the arrows of the house: which module and which package may import which. Rules about a package that is still
 * empty pass; {@link #everyModuleIsSeen} makes sure that no rule passes because a module was not looked at.
 */
@ArchTag("computed")
@AnalyzeClasses(packages = "io.verbena", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String NIC = "io.verbena.nic..";
    private static final String PORT = "io.verbena.nic.port..";
    private static final String FABRIC = "io.verbena.fabric..";
    private static final String KV = "io.verbena.kv..";
    private static final String REDIS = "io.verbena.redis..";
    private static final String CONSOLE = "io.verbena.console..";
    private static final String VERIFICATION = "io.verbena.verification..";
    private static final String BENCH = "io.verbena.bench..";
    private static final String WALKED_CHANNELS = "io.verbena.bench.check.channels";
    private static final String PAPERS = "io.verbena.papers..";
    private static final String LAUNCHER = "io.verbena.launcher..";

    /** The folder {@code benchmarks}: what proves and measures the others. */
    private static final String[] BENCHMARKS = {VERIFICATION, BENCH, PAPERS, LAUNCHER};

    private static final DescribedPredicate<JavaClass> BENCHMARK =
            resideInAnyPackage(BENCHMARKS).as("reside in the benchmarks");
    private static final DescribedPredicate<JavaClass> APP =
            resideInAnyPackage(KV, REDIS, CONSOLE).as("reside in an app");

    /** Parts of the NIC that are pure state: they see no clock and no thread but what is handed to them. */
    private static final String[] PURE = {
        "io.verbena.nic.transport..", "io.verbena.nic.arbiter..", "io.verbena.nic.append..", "io.verbena.nic.sim.."
    };

    private static final int MAX_FIELDS = 20;
    private static final int MAX_VALUES = 8;

    /** Records that hold all that a verb's query answers, as the structs of libibverbs do. */
    private static final Set<String> ANSWERS = Set.of("AppendQueueStatistics", "QueuePairStatus");

    private static final DescribedPredicate<JavaClass> OURS = resideInAPackage("io.verbena..");

    /** What of the framework is for users. */
    private static final String[] CALLED = {"io.verbena", "io.verbena.file", "io.verbena.tier"};

    /** What is ours and in no other module is the framework: {@code io.verbena} and the packages beside the others. */
    private static final DescribedPredicate<JavaClass> FRAMEWORK = OURS.and(
                    not(resideInAnyPackage(NIC, FABRIC)).and(not(APP)).and(not(BENCHMARK)))
            .as("reside in the framework");

    @ArchTest
    static void everyModuleIsSeen(JavaClasses classes) {
        for (String root : Set.of(NIC, FABRIC, KV, REDIS, CONSOLE, VERIFICATION, BENCH, PAPERS, LAUNCHER)) {
            assertThat(classes.stream().filter(resideInAPackage(root))).as(root).isNotEmpty();
        }
        assertThat(classes.stream().filter(FRAMEWORK)).as("the framework").isNotEmpty();
    }

    @ArchTest
    static final ArchRule nicImportsNothingOfOurs = noClasses()
            .that()
            .resideInAPackage(NIC)
            .should()
            .dependOnClassesThat(ours(NIC))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nicKnowsNoNetty = noClasses()
            .that()
            .resideInAPackage(NIC)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..")
            .because("the NIC reaches networks through its ports")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule fabricImportsPortsAlone = noClasses()
            .that()
            .resideInAPackage(FABRIC)
            .should()
            .dependOnClassesThat(ours(FABRIC, PORT))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule frameworkImportsNicAndFabric =
            noClasses().that(FRAMEWORK).should().dependOnClassesThat(APP).allowEmptyShould(true);

    /**
     * The framework's own test holds what lies between its packages. The walk over channels puts simulated links under
     * them, which no node has.
     */
    @ArchTest
    static final ArchRule appsUseNoInternalsOfTheFramework = noClasses()
            .that(resideInAnyPackage(KV, REDIS, BENCH).and(not(resideInAPackage(WALKED_CHANNELS))))
            .should()
            .dependOnClassesThat(FRAMEWORK.and(not(resideInAnyPackage(CALLED))).as("are internal to the framework"))
            .because("io.verbena holds what users call, and what stands on that");

    @ArchTest
    static final ArchRule kvImportsFramework = noClasses()
            .that()
            .resideInAPackage(KV)
            .should()
            .dependOnClassesThat(resideInAnyPackage(NIC, FABRIC, REDIS, CONSOLE))
            .allowEmptyShould(true);

    /**
     * What the JVM has to be started with is no part of a NIC, and looked at before there is any. How a node proves who
     * it is, and that it cannot be launched, stand in the framework's own signatures.
     */
    @ArchTest
    static final ArchRule redisImportsFrameworkAndKv = noClasses()
            .that()
            .resideInAPackage(REDIS)
            .should()
            .dependOnClassesThat(resideInAnyPackage(NIC, FABRIC, CONSOLE)
                    .and(not(resideInAPackage("io.verbena.fabric.security")))
                    .and(not(simpleName("JvmFlags")
                            .or(simpleName("ListenException"))
                            .or(simpleName("MemoryExhaustedException")))))
            .allowEmptyShould(true);

    /** The NIC's fairness index is a formula, and no part of a NIC. */
    @ArchTest
    static final ArchRule consoleImportsFramework = noClasses()
            .that()
            .resideInAPackage(CONSOLE)
            .should()
            .dependOnClassesThat(resideInAnyPackage(NIC, FABRIC, KV, REDIS).and(not(simpleName("JainIndex"))));

    @ArchTest
    static final ArchRule nothingImportsBenchmarks =
            noClasses().that(not(BENCHMARK)).should().dependOnClassesThat(BENCHMARK);

    @ArchTest
    static final ArchRule verificationImportsNicAndFabric = noClasses()
            .that()
            .resideInAPackage(VERIFICATION)
            .should()
            .dependOnClassesThat(FRAMEWORK.or(APP).or(resideInAnyPackage(BENCH, PAPERS, LAUNCHER)));

    @ArchTest
    static final ArchRule benchImportsNoPapers = noClasses()
            .that()
            .resideInAPackage(BENCH)
            .should()
            .dependOnClassesThat(resideInAnyPackage(PAPERS, LAUNCHER, CONSOLE));

    @ArchTest
    static final ArchRule papersImportBench = noClasses()
            .that()
            .resideInAPackage(PAPERS)
            .should()
            .dependOnClassesThat(resideInAnyPackage(LAUNCHER, REDIS, CONSOLE));

    @ArchTest
    static final ArchRule whatMeasuresKnowsNoTests = noClasses()
            .that()
            .resideInAnyPackage(BENCH, PAPERS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.junit..", "org.assertj..", "io.verbena.verification.conformance..");

    @ArchTest
    static final ArchRule benchmarksHaveNoCircles = slices().matching("io.verbena.[verification|bench|papers].(**)")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule noInternalsOfTheJdk = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("sun..", "jdk.internal..")
            .because("memory goes through Agrona buffers and VarHandles");

    @ArchTest
    static final ArchRule noJavaUtilLogging = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.util.logging..")
            .because("the service that embeds us chooses the backend of SLF4J");

    @ArchTest
    static final ArchRule queuesOnVarHandles = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "org.jctools.queues", "org.jctools.queues.unpadded", "org.jctools.queues.atomic..")
                    .and(not(INTERFACES.or(describe("enclosed in an interface", ArchitectureTest::isInInterface))))
                    .as("are JCTools queues outside org.jctools.queues.varhandle"))
            .because("the others are built on Unsafe, and on JDK 25 that warns");

    @ArchTest
    static final ArchRule locksLiveInTheEngine = noClasses()
            .that(areOfTheNicOutsideTheEngine())
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.concurrent.locks..")
                    .or(name("java.util.concurrent.Executor"))
                    .or(name("java.util.concurrent.Executors"))
                    .or(name("java.util.concurrent.ExecutorService"))
                    .or(name("java.util.concurrent.CountDownLatch"))
                    .or(name("java.util.concurrent.Semaphore"))
                    .as("lock or schedule"))
            .allowEmptyShould(true);

    /** {@code Thread.onSpinWait} is a hint to the processor and no use of a thread. */
    @ArchTest
    static final ArchRule threadsLiveInTheEngine = noClasses()
            .that(areOfTheNicOutsideTheEngine())
            .should()
            .accessTargetWhere(target(owner(name("java.lang.Thread")))
                    .and(not(target(name("onSpinWait"))))
                    .as("a thread is made, asked or put to sleep"))
            .orShould()
            .beAssignableTo(Thread.class)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule threadsAreHeldInTheEngine = noFields()
            .that()
            .areDeclaredInClassesThat(areOfTheNicOutsideTheEngine())
            .should()
            .haveRawType(Thread.class)
            .allowEmptyShould(true);

    /**
     * What creates and destroys objects (memory, the verbs' own factory methods) may take a monitor; the message's way
     * not.
     */
    @ArchTest
    static final ArchRule theMessagesWayTakesNoMonitor = methods()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(PURE))
            .should()
            .notHaveModifier(JavaModifier.SYNCHRONIZED)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule pureStateHasNoStatics = fields().that()
            .areDeclaredInClassesThat(resideInAnyPackage(PURE))
            .and()
            .haveModifier(STATIC)
            .should()
            .haveModifier(FINAL)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule pureStateTakesTimeAndChanceFromOutside = noClasses()
            .that(resideInAnyPackage(PURE))
            .should()
            .accessTargetWhere(describe("the clock or chance of the process is asked", ArchitectureTest::isAmbient))
            .because("a run is a function of its seed")
            .allowEmptyShould(true);

    /** A class with more state than a reader can keep in mind is several classes. */
    @ArchTest
    static final ArchRule classesHoldFewFields =
            classes().that().resideOutsideOfPackage("..jmh_generated..").should(haveFewFields());

    /** Many values are easily passed in the wrong order. Records are values, and document each component. */
    @ArchTest
    static final ArchRule constructorsTakeFewValues = constructors()
            .that()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage("..jmh_generated..")
            .should(takeFewValues());

    private static ArchCondition<JavaConstructor> takeFewValues() {
        return new ArchCondition<>("take at most " + MAX_VALUES + " values") {
            @Override
            public void check(JavaConstructor constructor, ConditionEvents events) {
                JavaClass type = constructor.getOwner();
                int hidden = type.isEnum() ? 2 : type.isInnerClass() ? 1 : 0; // name and ordinal; the object around it
                int values = constructor.getRawParameterTypes().size() - hidden;
                boolean isNamed = !type.isRecord() && !type.isAnonymousClass() && !type.isLocalClass();
                if (isNamed && values > MAX_VALUES) {
                    events.add(
                            SimpleConditionEvent.violated(constructor, constructor.getFullName() + " takes " + values));
                }
            }
        };
    }

    private static ArchCondition<JavaClass> haveFewFields() {
        return new ArchCondition<>("have at most " + MAX_FIELDS + " instance fields") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                long count = type.getFields().stream()
                        .filter(ArchitectureTest::isState)
                        .count();
                if (count > MAX_FIELDS && !ANSWERS.contains(type.getSimpleName())) {
                    events.add(SimpleConditionEvent.violated(type, type.getName() + " has " + count));
                }
            }
        };
    }

    /** Not what the compiler adds, nor what keeps neighbours off a cache line. */
    private static boolean isState(JavaField field) {
        Set<JavaModifier> modifiers = field.getModifiers();
        return !modifiers.contains(STATIC)
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !field.getName().matches("[pq]\\d+");
    }

    private static DescribedPredicate<JavaClass> ours(String... allowed) {
        return OURS.and(not(resideInAnyPackage(allowed)))
                .as("are ours outside of '%s'".formatted(String.join("', '", allowed)));
    }

    /**
     * A walk knows the thread that consumes: what it reads is not unmapped before that has left, or has ended. What the
     * kernel counts belongs to the thread that asks. Completion pollers are threads, made by the application's factory.
     */
    private static DescribedPredicate<JavaClass> areOfTheNicOutsideTheEngine() {
        return resideInAPackage(NIC)
                .and(not(resideInAPackage("io.verbena.nic.engine..")))
                .and(not(simpleName("RecordWalk")))
                .and(not(simpleName("RunDelay")))
                .and(not(simpleName("CompletionPollers")))
                .and(not(simpleName("Poller")))
                .as("are of the NIC outside its engine");
    }

    private static boolean isInInterface(JavaClass type) {
        return type.getEnclosingClass().map(JavaClass::isInterface).orElse(false);
    }

    private static boolean isAmbient(JavaAccess<?> access) {
        String call =
                access.getTargetOwner().getName() + "." + access.getTarget().getName();
        return Set.of(
                        "java.lang.System.nanoTime",
                        "java.lang.System.currentTimeMillis",
                        "java.time.Instant.now",
                        "java.lang.Math.random",
                        "java.util.UUID.randomUUID",
                        "java.util.concurrent.ThreadLocalRandom.current")
                .contains(call);
    }
}
