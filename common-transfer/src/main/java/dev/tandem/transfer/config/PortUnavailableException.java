package dev.tandem.transfer.config;

/** A port that this service must listen on cannot be bound; names the property that says which. */
class PortUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;

    PortUnavailableException(String property, String message, Throwable cause) {
        super(message, cause);
        this.property = property;
    }

    String property() {
        return property;
    }
}
