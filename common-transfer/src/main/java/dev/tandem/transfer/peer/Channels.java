package dev.tandem.transfer.peer;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.channel.TransferChannel;
import dev.tandem.transfer.wire.OpaqueBytes;

/** The fabrics this node has, with every buffer registered. Two nodes take the first in {@link ChannelKind}'s order that both have. */
public final class Channels {

    private final Map<ChannelKind, TransferChannel> byKind = new EnumMap<>(ChannelKind.class);

    public Channels(List<TransferChannel> channels) {
        channels.forEach(channel -> byKind.put(channel.kind(), channel));
        if (byKind.isEmpty()) {
            throw new IllegalArgumentException("channels: a node needs at least one");
        }
    }

    public Set<ChannelKind> kinds() {
        return Set.copyOf(byKind.keySet());
    }

    Map<ChannelKind, OpaqueBytes> greetings() {
        var greetings = new EnumMap<ChannelKind, OpaqueBytes>(ChannelKind.class);
        byKind.forEach((kind, channel) -> greetings.put(kind, OpaqueBytes.of(channel.greeting())));
        return greetings;
    }

    /** The first fabric that the other side speaks too. */
    TransferChannel common(Set<ChannelKind> theirs) {
        return byKind.values().stream()
                .filter(channel -> theirs.contains(channel.kind()))
                .findFirst()
                .orElseThrow(() -> new TransferException(
                        ErrorCode.INCOMPATIBLE, "channel %s≠%s".formatted(byKind.keySet(), theirs)));
    }

    Optional<TransferChannel> of(ChannelKind kind) {
        return Optional.ofNullable(byKind.get(kind));
    }
}
