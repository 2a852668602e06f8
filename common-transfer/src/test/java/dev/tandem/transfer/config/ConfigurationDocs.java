package dev.tandem.transfer.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares a module's section of docs/configuration.md with the configuration metadata of its build. */
public final class ConfigurationDocs {

    private static final Path DOCS = Path.of("../docs/configuration.md");
    private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");

    private ConfigurationDocs() {}

    /** Fails, with the table that should stand there, unless the module's section is complete and true. */
    public static void assertComplete(String module) throws IOException {
        String begin = "<!-- begin " + module + " -->\n";
        String end = "<!-- end " + module + " -->";
        String docs = Files.readString(DOCS);
        String section = docs.substring(docs.indexOf(begin) + begin.length(), docs.indexOf(end));
        assertThat(section).as("section %s of docs/configuration.md", module).isEqualTo(table());
    }

    private static String table() throws IOException {
        var rows = new ArrayList<JsonNode>();
        JsonMapper.builder()
                .build()
                .readTree(Files.readString(METADATA))
                .path("properties")
                .forEach(rows::add);
        rows.sort(Comparator.comparing(row -> row.path("name").asString()));
        var table = new StringBuilder("| property | default | meaning |\n| --- | --- | --- |\n");
        rows.forEach(row -> table.append(
                "| `%s` | %s | %s |\n".formatted(row.path("name").asString(), defaultValue(row), description(row))));
        return table.toString();
    }

    private static String description(JsonNode row) {
        String description = row.path("description").asString("");
        assertThat(description)
                .as("description of %s", row.path("name").asString())
                .isNotBlank();
        return description;
    }

    private static String defaultValue(JsonNode row) {
        JsonNode value = row.path("defaultValue");
        if (value.isMissingNode() || value.asString("").isEmpty() && !value.isArray()) {
            return "";
        }
        List<String> parts = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(each -> parts.add(each.asString()));
        } else {
            parts.add(value.asString());
        }
        return "`" + String.join(", ", parts) + "`";
    }
}
