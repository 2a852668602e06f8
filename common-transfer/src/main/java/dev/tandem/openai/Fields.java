package dev.tandem.openai;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import tools.jackson.databind.JsonNode;

import dev.tandem.engine.Sampling;

/** Reads fields of a JSON object strictly: a field of another type is refused by name and value; null counts as absent. */
final class Fields {

    private static final int MAX_STOPS = 16;

    private final JsonNode body;

    Fields(JsonNode body) {
        this.body = body;
    }

    private Optional<JsonNode> field(String name) {
        JsonNode node = body.path(name);
        return node.isMissingNode() || node.isNull() ? Optional.empty() : Optional.of(node);
    }

    Optional<String> text(String name) {
        return field(name).map(node -> {
            if (!node.isString()) {
                throw wrong(name, node, "a string");
            }
            return node.asString();
        });
    }

    boolean flag(String name) {
        return field(name)
                .map(node -> {
                    if (!node.isBoolean()) {
                        throw wrong(name, node, "true or false");
                    }
                    return node.asBoolean();
                })
                .orElse(false);
    }

    Optional<Integer> integer(String name, int least) {
        return field(name).map(node -> {
            if (!node.isInt() || node.asInt() < least) {
                throw wrong(name, node, "an integer of at least " + least);
            }
            return node.asInt();
        });
    }

    void refuseAbove(String name, int most, String why) {
        integer(name, 1).filter(value -> value > most).ifPresent(value -> {
            throw ApiException.badField(name, "%d; %s".formatted(value, why));
        });
    }

    private Optional<Double> number(String name) {
        return field(name).map(node -> {
            if (!node.isNumber()) {
                throw wrong(name, node, "a number");
            }
            return node.asDouble();
        });
    }

    Sampling sampling() {
        double temperature = number("temperature").orElse(1.0);
        double topP = number("top_p").orElse(1.0);
        long seed = field("seed")
                .map(node -> {
                    if (!node.canConvertToLong() || !node.isIntegralNumber()) {
                        throw wrong("seed", node, "an integer");
                    }
                    return node.asLong();
                })
                .orElseGet(() -> ThreadLocalRandom.current().nextLong());
        try {
            return new Sampling(temperature, topP, seed);
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            String name = message.substring(0, message.indexOf(':'));
            throw new ApiException(400, "invalid_value", message, name, null, e);
        }
    }

    List<String> stops() {
        Optional<JsonNode> stop = field("stop");
        if (stop.isEmpty()) {
            return List.of();
        }
        var stops = new ArrayList<String>();
        if (stop.get().isString()) {
            stops.add(stop.get().asString());
        } else if (stop.get().isArray()) {
            for (JsonNode each : stop.get()) {
                if (!each.isString()) {
                    throw wrong("stop", each, "strings");
                }
                stops.add(each.asString());
            }
        } else {
            throw wrong("stop", stop.get(), "a string or an array of strings");
        }
        stops.removeIf(String::isEmpty);
        if (stops.size() > MAX_STOPS) {
            throw ApiException.badField("stop", "%d strings, at most %d".formatted(stops.size(), MAX_STOPS));
        }
        return List.copyOf(stops);
    }

    CompletionRequest.Prompt prompt() {
        JsonNode prompt = field("prompt").orElseThrow(() -> ApiException.badField("prompt", "missing"));
        if (prompt.isString()) {
            return new CompletionRequest.Prompt.Text(prompt.asString());
        }
        if (!prompt.isArray()) {
            throw wrong("prompt", prompt, "a string or an array of token ids");
        }
        if (prompt.size() == 1 && prompt.get(0).isString()) {
            return new CompletionRequest.Prompt.Text(prompt.get(0).asString());
        }
        var ids = new int[prompt.size()];
        for (int i = 0; i < ids.length; i++) {
            if (!prompt.get(i).isInt()) {
                throw wrong("prompt", prompt.get(i), "one prompt per request: a string or an array of token ids");
            }
            ids[i] = prompt.get(i).asInt();
        }
        return new CompletionRequest.Prompt.Tokens(ids);
    }

    private static ApiException wrong(String name, JsonNode value, String wanted) {
        String shown = value.toString();
        return ApiException.badField(
                name, "%s is not %s".formatted(shown.length() > 80 ? shown.substring(0, 80) + "…" : shown, wanted));
    }
}
