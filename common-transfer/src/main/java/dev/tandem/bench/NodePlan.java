package dev.tandem.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A service to be started: its program and its properties.
 *
 * @param properties by name, such as {@code server.port}
 */
record NodePlan(Program program, Map<String, String> properties) {

    private static final String MARK = "--";

    NodePlan {
        properties = new LinkedHashMap<>(properties);
    }

    /** A plan with these arguments, each {@code --name=value}. */
    static NodePlan of(Program program, List<String> arguments) {
        var properties = new LinkedHashMap<String, String>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith(MARK) || equals < MARK.length() + 1) {
                throw LaunchException.usage("%s is not a property, --name=value".formatted(argument));
            }
            properties.put(argument.substring(MARK.length(), equals), argument.substring(equals + 1));
        }
        return new NodePlan(program, properties);
    }

    /** This plan, with a value for a property that has none yet. */
    NodePlan orElse(String name, Object value) {
        var more = new LinkedHashMap<>(properties);
        more.putIfAbsent(name, value.toString());
        return new NodePlan(program, more);
    }

    /** The port that a property names. */
    int port(String name) {
        String value = properties.getOrDefault(name, "");
        if (!value.matches("[1-9]\\d{0,4}")) {
            throw LaunchException.usage("--%s=%s is not a port".formatted(name, value));
        }
        return Integer.parseInt(value);
    }

    List<String> command() {
        var command = new ArrayList<>(program.command());
        properties.forEach((name, value) -> command.add(MARK + name + "=" + value));
        return command;
    }
}
