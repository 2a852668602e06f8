package dev.tandem.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Stands in for Spring Boot's loader in the jar of a fake service: runs the class that {@code loader.main} names. */
public final class FakeLoader {

    private FakeLoader() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        Class.forName(System.getProperty("loader.main"))
                .getMethod("main", String[].class)
                .invoke(null, (Object) args);
    }

    /** Writes an executable jar that starts a fake service from this build's classes. */
    static Path jar(Path folder) throws IOException {
        var manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.MAIN_CLASS, FakeLoader.class.getName());
        main.put(Attributes.Name.CLASS_PATH, classes(Attended.class) + " " + classes(FakeService.class));
        main.putValue("Start-Class", FakeService.class.getName());
        Path jar = folder.resolve("fake.jar");
        try (OutputStream file = Files.newOutputStream(jar)) {
            new JarOutputStream(file, manifest).close();
        }
        return jar;
    }

    private static String classes(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().toString();
    }
}
