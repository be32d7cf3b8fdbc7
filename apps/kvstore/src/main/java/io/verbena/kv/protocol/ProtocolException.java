package io.verbena.kv.protocol;

/** A request or a reply that does not parse: the message names the field, the value found and the bound it breaks. */
public final class ProtocolException extends RuntimeException {
    /** @param message field, value and bound */
    public ProtocolException(String message) {
        super(message);
    }
}
