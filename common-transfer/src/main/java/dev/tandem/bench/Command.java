package dev.tandem.bench;

import java.io.PrintStream;

/** What a command of the launcher does. */
interface Command {

    /**
     * Does it. Blocks.
     *
     * @param arguments as typed
     * @param out for the person in front of it
     * @throws LaunchException if it does not come to its end
     */
    void run(String[] arguments, PrintStream out) throws InterruptedException;

    /** Does it as a process of its own: prints to standard output, why it failed to standard error, and exits. */
    default void exitAfter(String[] arguments) {
        System.exit(exitCode(arguments, System.out, System.err));
    }

    /** Does it, and says why if it fails. */
    default int exitCode(String[] arguments, PrintStream out, PrintStream err) {
        try {
            run(arguments, out);
            return 0;
        } catch (LaunchException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.isEmpty()) {
                err.println("tandem: " + message);
            }
            return e.exitCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return LaunchException.interrupted().exitCode();
        }
    }
}
