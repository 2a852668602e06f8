package dev.tandem.openai;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

import dev.tandem.engine.Engine;

/** What both services can say of the model: its name and its tokens. */
@RestController
class ModelController {

    private final Engine engine;

    ModelController(Engine engine) {
        this.engine = engine;
    }

    record Models(String object, List<Model> data) {}

    record Model(
            String id,
            String object,
            @JsonProperty("owned_by") String ownedBy,
            @JsonProperty("max_model_len") int contextTokens) {}

    record Tokens(int count, @JsonProperty("max_model_len") int contextTokens, int[] tokens) {}

    @GetMapping("/v1/models")
    Models models() {
        return new Models("list", List.of(new Model(engine.modelId(), "model", "tandem", engine.contextTokens())));
    }

    @PostMapping("/tokenize")
    Tokens tokenize(@RequestBody JsonNode body) {
        int[] tokens = new Fields(body).prompt().tokens(engine);
        return new Tokens(tokens.length, engine.contextTokens(), tokens);
    }
}
