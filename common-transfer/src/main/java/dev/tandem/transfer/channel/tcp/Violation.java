package dev.tandem.transfer.channel.tcp;

import java.util.Arrays;

/** What can be wrong with a batch's header. */
enum Violation {
    MAGIC(1, "does not begin like a batch"),
    KIND(2, "asks for something unknown"),
    SEQUENCE(3, "is not the next one"),
    ENTRIES(4, "has too many entries, or entries where none belong"),
    REGION(5, "names a region that is not there"),
    RANGE(6, "does not lie in its region"),
    TOTAL(7, "does not add up to its size");

    private final int code;
    private final String sentence;

    Violation(int code, String sentence) {
        this.code = code;
        this.sentence = sentence;
    }

    /** The number that an answer carries. */
    int code() {
        return code;
    }

    /** What is wrong, for a message about the batch or its entry. */
    String sentence() {
        return sentence;
    }

    /** What is wrong, of the number that an answer carries. */
    static String sentence(int code) {
        return Arrays.stream(values())
                .filter(violation -> violation.code == code)
                .map(Violation::sentence)
                .findFirst()
                .orElse("is invalid");
    }
}
