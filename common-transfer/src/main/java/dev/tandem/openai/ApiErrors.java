package dev.tandem.openai;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.resource.NoResourceFoundException;

import dev.tandem.openai.ApiException.ErrorBody;
import dev.tandem.transfer.TransferException;

/** Answers every failure before the first byte with its status and an OpenAI-style body. */
@RestControllerAdvice(basePackages = "dev.tandem")
class ApiErrors {

    private static final Logger log = LoggerFactory.getLogger(ApiErrors.class);

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(ApiException failure) {
        var headers = new HttpHeaders();
        headers.setContentType(MediaType.APPLICATION_JSON);
        failure.retryAfter()
                .ifPresent(
                        after -> headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, after.toSeconds()))));
        return new ResponseEntity<>(failure.body(), headers, failure.status());
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(TransferException failure) {
        return answer(ApiException.of(failure));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(HttpMessageNotReadableException failure) {
        return answer(new ApiException(
                400, "invalid_json", "the body is not a JSON object that can be read", null, null, failure));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(HttpMediaTypeNotSupportedException failure) {
        return answer(new ApiException(
                415, "unsupported_media_type", String.valueOf(failure.getMessage()), "content-type", null, failure));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(HttpRequestMethodNotSupportedException failure) {
        return answer(
                new ApiException(405, "method_not_allowed", String.valueOf(failure.getMessage()), null, null, failure));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(NoResourceFoundException failure) {
        return answer(new ApiException(404, "not_found", String.valueOf(failure.getMessage()), null, null, failure));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> answer(RuntimeException failure) {
        log.error("request failed", failure);
        return answer(new ApiException(500, "internal", "the service failed; its log says why", null, null, failure));
    }
}
