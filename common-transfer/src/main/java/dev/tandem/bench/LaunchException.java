package dev.tandem.bench;

import org.jspecify.annotations.Nullable;

/** Why a command cannot go on, told to the person in front of it: the message is all that is printed. */
final class LaunchException extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int FAILED = 1;
    private static final int WRONG_CALL = 2;
    private static final int INTERRUPTED = 130;

    private final int exitCode;

    private LaunchException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    LaunchException(String message) {
        this(FAILED, message, null);
    }

    LaunchException(String message, Throwable cause) {
        this(FAILED, message, cause);
    }

    /** The command was called in a way it does not understand. */
    static LaunchException usage(String message) {
        return new LaunchException(WRONG_CALL, message + "; ./tandem help says more", null);
    }

    /** Somebody ended the command; there is nothing to explain. */
    static LaunchException interrupted() {
        return new LaunchException(INTERRUPTED, "", null);
    }

    /** What the process answers to its caller: 2 for a wrong call, 130 for an interrupt, else 1. */
    int exitCode() {
        return exitCode;
    }
}
