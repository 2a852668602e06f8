package dev.tandem.transfer.channel.hccl;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * Finds the native libraries and checks that they have every function.
 *
 * @param directories in the order in which they are looked through
 */
record LibrarySearch(List<Path> directories) {

    /** The oldest CANN whose libraries have every function that the bindings name. */
    private static final String OLDEST_CANN = "8.5";

    private static final Path USUAL_PLACE = Path.of("/usr/local/Ascend/ascend-toolkit/latest/lib64");

    private static final int RTLD_NOW = 0x002;
    private static final int RTLD_GLOBAL = 0x100;

    /**
     * @param chosen if present, the only place
     * @param environment of the process
     */
    static LibrarySearch in(Optional<Path> chosen, Map<String, String> environment) {
        return chosen.map(directory -> new LibrarySearch(List.of(directory))).orElseGet(() -> usual(environment));
    }

    /**
     * Opens the first of {@code files} that has all functions of {@code binding}, its symbols visible to libraries that
     * are opened later.
     *
     * @throws TransferException when there is none; says where it looked, or which function is missing
     */
    NativeLibrary open(Class<?> binding, List<String> files) {
        List<String> missing = new ArrayList<>();
        for (String file : files) {
            Optional<Path> found = find(file);
            if (found.isPresent()) {
                NativeLibrary library = open(found.get());
                List<String> absent = absentFrom(library, binding);
                if (absent.isEmpty()) {
                    return library;
                }
                missing.add("%s has no %s".formatted(found.get(), String.join(", ", absent)));
            }
        }
        throw missing.isEmpty() ? notFound(files) : tooOld(missing);
    }

    private static LibrarySearch usual(Map<String, String> environment) {
        List<Path> directories = new ArrayList<>();
        Pattern.compile(":")
                .splitAsStream(environment.getOrDefault("LD_LIBRARY_PATH", ""))
                .filter(directory -> !directory.isBlank())
                .map(Path::of)
                .forEach(directories::add);
        String home = environment.getOrDefault("ASCEND_HOME_PATH", "");
        if (!home.isBlank()) {
            directories.add(Path.of(home, "lib64"));
        }
        directories.add(USUAL_PLACE);
        return new LibrarySearch(directories);
    }

    private Optional<Path> find(String file) {
        return directories.stream()
                .map(directory -> directory.resolve(file))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    private static NativeLibrary open(Path file) {
        try {
            return NativeLibrary.getInstance(
                    file.toAbsolutePath().toString(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW | RTLD_GLOBAL));
        } catch (UnsatisfiedLinkError e) {
            throw new TransferException(
                    ErrorCode.INTERNAL, "%s cannot be loaded: %s".formatted(file, e.getMessage()), e);
        }
    }

    private static List<String> absentFrom(NativeLibrary library, Class<?> binding) {
        return Arrays.stream(binding.getDeclaredMethods())
                .filter(method -> Modifier.isNative(method.getModifiers()))
                .map(Method::getName)
                .filter(function -> !has(library, function))
                .sorted()
                .toList();
    }

    static boolean has(NativeLibrary library, String function) {
        try {
            library.getFunction(function);
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    private TransferException notFound(List<String> files) {
        return new TransferException(
                ErrorCode.INTERNAL, "%s not found in %s".formatted(String.join(" or ", files), directories));
    }

    private static TransferException tooOld(List<String> missing) {
        return new TransferException(
                ErrorCode.INTERNAL,
                "%s: CANN is too old, the oldest that has it is %s".formatted(String.join("; ", missing), OLDEST_CANN));
    }
}
