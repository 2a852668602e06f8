package dev.tandem.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A command's arguments by name; a value may stand behind an equals sign or as the next argument.
 *
 * @param values those given, in order, by name
 */
record Arguments(Map<String, List<String>> values) {

    /**
     * Reads arguments.
     *
     * @param known what the command takes; those that take a value end in {@code =}
     * @throws LaunchException naming the one that is not known or lacks its value
     */
    static Arguments parse(String[] arguments, Set<String> known) {
        var values = new HashMap<String, List<String>>();
        for (Iterator<String> rest = Arrays.asList(arguments).iterator(); rest.hasNext(); ) {
            String argument = rest.next();
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            String value = "";
            if (known.contains(name + "=")) {
                value = equals >= 0 ? argument.substring(equals + 1) : next(rest, name);
            } else if (equals >= 0 || !known.contains(name)) {
                throw LaunchException.usage("%s is not understood".formatted(argument));
            }
            values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
        }
        return new Arguments(values);
    }

    private static String next(Iterator<String> rest, String name) {
        if (!rest.hasNext()) {
            throw LaunchException.usage("%s lacks its value".formatted(name));
        }
        return rest.next();
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    /** All values given, in order. */
    List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /** The last value given. */
    Optional<String> last(String name) {
        List<String> all = all(name);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    /** @throws LaunchException if none was given */
    String required(String name) {
        return last(name).orElseThrow(() -> LaunchException.usage("%s is missing".formatted(name)));
    }

    /** @throws LaunchException unless it is a whole number of at least one */
    int positive(String name, int fallback) {
        String value = last(name).orElse(Integer.toString(fallback));
        if (!value.matches("[1-9]\\d{0,8}")) {
            throw LaunchException.usage("%s=%s is not a whole number of at least 1".formatted(name, value));
        }
        return Integer.parseInt(value);
    }
}
