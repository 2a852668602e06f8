package dev.tandem.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs another program's {@code main}, and ends this process when its standard input ends. A parent that holds the other
 * end of that pipe therefore never leaves this process behind, even when it is killed and can do nothing about it.
 */
public final class Attended {

    private Attended() {}

    /**
     * Starts the program.
     *
     * @param args the name of the class with the {@code main}, then its arguments
     */
    public static void main(String[] args) throws Throwable {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> exitAtEndOf(System.in));
        String[] rest = Arrays.copyOfRange(args, 1, args.length);
        try {
            Class.forName(args[0], true, Thread.currentThread().getContextClassLoader())
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) rest);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A broken pipe says the same as its end: nobody is there. */
    private static void exitAtEndOf(InputStream parent) {
        try {
            parent.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("the parent's pipe broke: " + e.getMessage());
        }
        System.exit(0);
    }
}
