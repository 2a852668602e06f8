package dev.tandem.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;

/**
 * How to start a service, without its properties.
 *
 * @param command the executable and its arguments; the program must end when its standard input ends
 */
record Program(List<String> command) {

    private static final List<String> QUIET =
            List.of("-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders", "-Dmsgpack.universal-buffer=true");

    Program {
        command = List.copyOf(command);
    }

    /**
     * An executable jar of ours, on the JVM that runs this.
     *
     * @param flags further flags of its JVM
     * @throws LaunchException if it is not there or cannot be read
     */
    static Program ofJar(Path jar, List<String> flags) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(QUIET);
        command.addAll(flags);
        command.add("-Dloader.main=" + Attended.class.getName());
        command.addAll(List.of("-jar", jar.toString(), startClass(jar)));
        return new Program(command);
    }

    private static String startClass(Path jar) {
        try (var file = new JarFile(jar.toFile())) {
            String name = file.getManifest().getMainAttributes().getValue("Start-Class");
            if (name == null) {
                throw new LaunchException("%s is no executable jar of a service".formatted(jar));
            }
            return name;
        } catch (IOException e) {
            throw new LaunchException("%s cannot be read; ./tandem build makes it".formatted(jar), e);
        }
    }
}
