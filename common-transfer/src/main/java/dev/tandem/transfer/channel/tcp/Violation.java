package dev.tandem.transfer.channel.tcp;

/** What can be wrong with a batch's header. */
enum Violation {
    MAGIC("does not begin like a batch"),
    KIND("asks for something unknown"),
    SEQUENCE("is not the next one"),
    ENTRIES("has too many entries, or entries where none belong"),
    REGION("names a region that is not there"),
    RANGE("does not lie in its region"),
    TOTAL("does not add up to its size");

    private static final Violation[] ALL = values();

    private final String sentence;

    Violation(String sentence) {
        this.sentence = sentence;
    }

    /** What is wrong, for a message about the batch or its entry. */
    String sentence() {
        return sentence;
    }

    /** Of the number that an answer carries. */
    static String sentence(int ordinal) {
        return ordinal >= 0 && ordinal < ALL.length ? ALL[ordinal].sentence : "is invalid";
    }
}
