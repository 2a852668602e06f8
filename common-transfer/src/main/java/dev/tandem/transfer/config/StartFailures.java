package dev.tandem.transfer.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;

/** Says in a few lines, instead of a stack trace, which property stopped the start and what to do. */
class StartFailures {

    private StartFailures() {}

    /** A side-channel or data port is taken. */
    static class Port extends AbstractFailureAnalyzer<PortUnavailableException> {
        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, PortUnavailableException cause) {
            return new FailureAnalysis(
                    "%s: %s".formatted(cause.property(), cause.getMessage()),
                    "Stop what listens there, or set %s to another port.".formatted(cause.property()),
                    cause);
        }
    }

    /** An HTTP port is taken. */
    static class HttpPort extends AbstractFailureAnalyzer<PortInUseException> {
        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, PortInUseException cause) {
            return new FailureAnalysis(
                    "server.port or management.server.port: port %d is in use".formatted(cause.getPort()),
                    "Stop what listens there, or set server.port or management.server.port, whichever is %d, to another port."
                            .formatted(cause.getPort()),
                    cause);
        }
    }

    /** A value cannot work. */
    static class Value extends AbstractFailureAnalyzer<PropertyException> {
        @Override
        protected @Nullable FailureAnalysis analyze(Throwable rootFailure, PropertyException cause) {
            return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.remedy(), cause);
        }
    }
}
