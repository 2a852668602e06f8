package dev.tandem.transfer.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Refuses to start with a key under {@code tandem.} that nothing reads, and suggests the one that was meant: a misspelt
 * setting that is silently ignored is found in production otherwise. Knows the keys from the configuration metadata that
 * the build makes from the property records.
 */
public final class UnknownProperties implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tandem");
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        Set<ConfigurationPropertyName> known = known(UnknownProperties.class.getClassLoader());
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(context.getEnvironment())) {
            if (source instanceof IterableConfigurationPropertySource keys) {
                keys.stream()
                        .filter(key -> ROOT.isAncestorOf(key) && !isKnown(key, known))
                        .findFirst()
                        .ifPresent(key -> {
                            throw unknown(key, known);
                        });
            }
        }
    }

    /** An element of a list, {@code name[0]}, is known by the list. */
    private static boolean isKnown(ConfigurationPropertyName key, Set<ConfigurationPropertyName> known) {
        ConfigurationPropertyName name = key;
        while (name.isLastElementIndexed()) {
            name = name.getParent();
        }
        return known.contains(name);
    }

    private static PropertyException unknown(ConfigurationPropertyName key, Set<ConfigurationPropertyName> known) {
        String nearest = known.stream()
                .min(Comparator.comparingInt(name -> distance(name.toString(), key.toString())))
                .map(ConfigurationPropertyName::toString)
                .orElse("tandem.host");
        return new PropertyException(
                "%s: no such property".formatted(key),
                "Did you mean %s? docs/configuration.md has all.".formatted(nearest));
    }

    /** Every documented key under {@code tandem.} of the metadata files on the class path. */
    static Set<ConfigurationPropertyName> known(ClassLoader loader) {
        var known = new HashSet<ConfigurationPropertyName>();
        var json = JsonMapper.builder().build();
        try {
            for (URL url : Collections.list(loader.getResources(METADATA))) {
                try (InputStream in = url.openStream()) {
                    for (JsonNode property : json.readTree(in).path("properties")) {
                        String name = property.path("name").asString("");
                        if (name.startsWith("tandem.")) {
                            known.add(ConfigurationPropertyName.of(name));
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading configuration metadata", e);
        }
        return known;
    }

    /** Edits that turn one text into the other (Levenshtein). */
    private static int distance(String a, String b) {
        int[] before = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            var row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = before[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(before[j], row[j - 1]) + 1);
            }
            before = row;
        }
        return before[b.length()];
    }
}
