package dev.tandem.transfer.wire;

import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Messages of every type, each field sometimes at its default and sometimes not. */
final class RandomMessages {

    private final RandomGenerator random;
    private final List<Supplier<Message>> makers = List.of(
            () -> new HandshakeRequest.Init(text(), bytes(), number(), text()),
            () -> new HandshakeRequest.MemReg(text(), bytes(), number(), text()),
            () -> new HandshakeRequest.Ready(text(), number(), text()),
            () -> new HandshakeReply.Init(bytes()),
            () -> new HandshakeReply.MemReg(bytes()),
            () -> new HandshakeReply.Ready(flag(), bytes(), text(), number(), number()),
            () -> new HandshakeReply.Error(flag(), text(), text()),
            () -> new TransferRequest.Alloc(chunks(), text(), flag(), number(), stamp(), text(), flag()),
            () -> new TransferRequest.Commit(text(), stamp(), texts(), numbers(), numbers(), flag()),
            () -> new TransferRequest.Abort(text(), stamp(), text()),
            () -> new TransferRequest.Heartbeat(stamp(), text()),
            this::pullReady,
            () -> new TransferReply.Alloc(numbers(), numbers(), texts(), flag(), number(), numbers(), text(), text()),
            () -> new TransferReply.Commit(flag(), numbers(), text(), text()),
            () -> new TransferReply.Abort(flag(), text(), text()),
            () -> new TransferReply.Heartbeat(text(), text(), texts(), flag(), text(), text()),
            () -> new TransferReply.PullAck(numbers(), flag(), text(), text()),
            () -> new Notification.ProxyNotif(text(), flag(), text(), flag() ? -1 : number()),
            () -> new Notification.PullDone(text(), flag(), text()));

    RandomMessages(RandomGenerator random) {
        this.random = random;
    }

    int types() {
        return makers.size();
    }

    Message next() {
        return ofType(random.nextInt(makers.size()));
    }

    Message ofType(int type) {
        return makers.get(type).get();
    }

    private TransferRequest.PullReady pullReady() {
        return new TransferRequest.PullReady(
                text(), chunks(), texts(), numbers(), text(), text(), text(), stamp(), flag(), number(), numbers(),
                number());
    }

    private TransferRequest.Chunks chunks() {
        return new TransferRequest.Chunks(texts(), number(), numbers(), text(), number());
    }

    private Stamp stamp() {
        return flag() ? Stamp.NONE : new Stamp(text(), text(), bytes(), text());
    }

    private boolean flag() {
        return random.nextBoolean();
    }

    /** Spread over all integer codes. */
    private long number() {
        return flag() ? 0 : random.nextLong() >> random.nextInt(Long.SIZE);
    }

    private List<Long> numbers() {
        return LongStream.generate(this::number)
                .limit(random.nextInt(40))
                .boxed()
                .toList();
    }

    /** Of one to four UTF-8 bytes a character, and over the borders of all string codes. */
    private String text() {
        int length = flag() ? 0 : flag() ? random.nextInt(40) : random.nextInt(700);
        return random.ints(length, 0, 0x1_0400)
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 'x' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private List<String> texts() {
        return Stream.generate(this::text).limit(random.nextInt(20)).toList();
    }

    private OpaqueBytes bytes() {
        var bytes = new byte[flag() ? 0 : random.nextInt(400)];
        random.nextBytes(bytes);
        return OpaqueBytes.of(bytes);
    }
}
