package dev.tandem.decode;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a prefill node is asked.
 *
 * @param requestId the client's correlation id, for logs
 */
record PrefillCall(String requestId, Body body) {

    /** The node's own part of the client's request. */
    record Body(
            String model,
            int[] prompt,
            @JsonProperty("max_tokens") int maxTokens,
            double temperature,
            @JsonProperty("top_p") double topP,
            long seed,
            boolean stream,
            @JsonProperty("kv_transfer_params") Params transfer) {}

    /** Whom the KV goes to. */
    record Params(
            @JsonProperty("ret_first_tok") boolean firstToken,
            @JsonProperty("disagg_spec") Spec spec) {}

    /** One attempt, and where this node's ranks take it. */
    record Spec(
            @JsonProperty("req_id") String reqId,
            @JsonProperty("receiver_host") String host,
            @JsonProperty("receiver_init_port") List<Integer> initPorts,
            @JsonProperty("receiver_alloc_port") List<Integer> allocPorts,
            @JsonProperty("await_transfer") boolean awaitTransfer) {}
}
