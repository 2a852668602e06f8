package dev.tandem.architecture;

import java.util.Arrays;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** The rooms and which way their doors open (docs/architecture.md). */
@AnalyzeClasses(packages = "dev.tandem", importOptions = ImportOption.DoNotIncludeTests.class)
class RoomsTest {

    private static final String ROOT = "dev.tandem.transfer";

    @ArchTest
    static final ArchRule packagesAreFreeOfTangles =
            slices().matching("dev.tandem.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule wordsKnowNobody = room("", new String[0]);

    @ArchTest
    static final ArchRule memoryKnowsTheWordsOnly = room(".memory", "");

    @ArchTest
    static final ArchRule metricsKnowsTheWordsOnly = room(".metrics", "");

    @ArchTest
    static final ArchRule wireKnowsTheWordsOnly = room(".wire", "");

    @ArchTest
    static final ArchRule channelKnowsTheWordsOnly = room(".channel", "");

    @ArchTest
    static final ArchRule fabricsKnowTheirPortOnly = room(".channel.*", "", ".channel");

    @ArchTest
    static final ArchRule peerKnowsNoMemory = room(".peer", "", ".wire", ".channel", ".metrics");

    @ArchTest
    static final ArchRule handoverKnowsNoSpring =
            room(".handover", "", ".peer", ".wire", ".channel", ".memory", ".metrics");

    @ArchTest
    static final ArchRule engineKnowsTheWordsOnly = noClasses()
            .that()
            .resideInAPackage("dev.tandem.engine")
            .should()
            .dependOnClassesThat(Predicates.resideInAPackage("dev.tandem..")
                    .and(Predicates.resideOutsideOfPackages("dev.tandem.engine", ROOT)))
            .because("an engine computes into pages and knows nothing of how they travel");

    @ArchTest
    static final ArchRule onlyHcclSeesJna = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".channel.hccl")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.sun.jna..")
            .because("raw native calls have one home");

    @ArchTest
    static final ArchRule springStaysInTheOuterRooms = noClasses()
            .that()
            .resideInAnyPackage(
                    ROOT,
                    ROOT + ".memory",
                    ROOT + ".metrics",
                    ROOT + ".channel..",
                    ROOT + ".handover",
                    "dev.tandem.engine")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("the inner rooms are plain Java");

    @ArchTest
    static final ArchRule noVagueNames = classes()
            .should()
            .haveNameNotMatching(".*(Util|Utils|Helper|Manager|Impl|Processor)$")
            .because("a class is a noun you could explain to an operator");

    /** A room may depend on these rooms of ours and on anything foreign. */
    private static ArchRule room(String room, String... allowed) {
        String[] open = Stream.concat(Stream.of(room), Arrays.stream(allowed))
                .map(name -> ROOT + name)
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(ROOT + room)
                .should()
                .dependOnClassesThat(
                        Predicates.resideInAPackage("dev.tandem..").and(Predicates.resideOutsideOfPackages(open)))
                .because("dependencies between rooms point downwards only");
    }
}
