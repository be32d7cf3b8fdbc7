package io.verbena.fabric;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between the packages of the fabrics run one way. */
@ArchTag("computed")
@AnalyzeClasses(packages = "io.verbena.fabric", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {
    /** The root package is a slice like those below it. */
    @ArchTest
    static final ArchRule noCircleBetweenPackages =
            slices().matching("io.verbena.(**)").should().beFreeOfCycles();
}
