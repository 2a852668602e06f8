package dev.tandem.transfer.config;

/** A property's value cannot work; stops the start. */
class PropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    /**
     * @param message names the property and its value
     * @param remedy what to set instead
     */
    PropertyException(String message, String remedy) {
        super(message);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
