package dev.tandem.transfer.channel.hccl;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.tandem.transfer.TransferException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LibrarySearchTest {

    @TempDir
    Path directory;

    @Test
    void looksInTheLibraryPathThenTheAscendHomeThenTheUsualPlace() {
        LibrarySearch search = LibrarySearch.in(
                Optional.empty(), Map.of("LD_LIBRARY_PATH", "/a::/b", "ASCEND_HOME_PATH", "/opt/ascend"));

        assertThat(search.directories())
                .containsExactly(
                        Path.of("/a"),
                        Path.of("/b"),
                        Path.of("/opt/ascend/lib64"),
                        Path.of("/usr/local/Ascend/ascend-toolkit/latest/lib64"));
    }

    @Test
    void looksOnlyWhereItIsTold() {
        assertThat(LibrarySearch.in(Optional.of(directory), Map.of("LD_LIBRARY_PATH", "/a"))
                        .directories())
                .containsExactly(directory);
    }

    @Test
    void missingLibraryIsNamedWithThePlacesWhereItIsNot() {
        assertThatThrownBy(() -> new LibrarySearch(List.of(directory)).open(HcclLibrary.class, HcclLibrary.FILES))
                .isInstanceOf(TransferException.class)
                .hasMessage("libhcomm.so or libhccl.so not found in [%s]", directory);
    }

    @Test
    void missingFunctionIsNamedWithTheOldestCannThatHasIt() {
        Path library = CCompiler.find().library(directory, "libhcomm.so", functionsBut("HcclCommPrepare"));

        assertThatThrownBy(() -> new LibrarySearch(List.of(directory)).open(HcclLibrary.class, HcclLibrary.FILES))
                .isInstanceOf(TransferException.class)
                .hasMessage("%s has no HcclCommPrepare: CANN is too old, the oldest that has it is 8.5", library);
    }

    @Test
    void olderLibraryServesWhereTheNewerOneLacksTheService() {
        CCompiler compiler = CCompiler.find();
        compiler.library(directory, "libhcomm.so", functionsBut("HcclBatchPut"));
        Path complete = compiler.library(directory, "libhccl.so", functionsBut(""));

        assertThat(new LibrarySearch(List.of(directory))
                        .open(HcclLibrary.class, HcclLibrary.FILES)
                        .getFile())
                .hasToString(complete.toString());
    }

    @Test
    void fileThatIsNotALibraryIsNamed() throws Exception {
        Path file = java.nio.file.Files.writeString(directory.resolve("libascendcl.so"), "not a library");

        assertThatThrownBy(() -> new LibrarySearch(List.of(directory)).open(AclLibrary.class, List.of(AclLibrary.FILE)))
                .isInstanceOf(TransferException.class)
                .hasMessageStartingWith("%s cannot be loaded: ", file);
    }

    private static String functionsBut(String absent) {
        return Stream.of(HcclLibrary.class.getDeclaredMethods())
                .filter(method -> Modifier.isNative(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !name.equals(absent))
                .map("int %s(void) { return 0; }%n"::formatted)
                .collect(Collectors.joining());
    }
}
