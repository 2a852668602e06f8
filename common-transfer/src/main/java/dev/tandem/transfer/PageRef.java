package dev.tandem.transfer;

/**
 * Names a page across processes: a registered buffer and the page's index in it. The address is the buffer's base
 * plus index times page size.
 *
 * @param buffer id of the registered buffer
 * @param index from 0
 */
public record PageRef(String buffer, int index) {

    public PageRef {
        if (index < 0) {
            throw new IllegalArgumentException("page %d of buffer %s: negative".formatted(index, buffer));
        }
    }
}
