package dev.tandem.transfer.wire;

/**
 * A message that is answered.
 *
 * @param <R> the reply that means it was done; anything else is an error
 */
public sealed interface Request<R extends Reply> extends Message permits HandshakeRequest, TransferRequest {

    Class<R> replyType();
}
