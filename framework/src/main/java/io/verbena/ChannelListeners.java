package io.verbena;

import io.verbena.connection.Notices;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The listeners to a node's channels, which are called in order and through {@link Notices}. Thread-safe. */
final class ChannelListeners {
    private final Notices notices;
    private final List<ChannelListener> listeners = new CopyOnWriteArrayList<>();

    ChannelListeners(Notices notices) {
        this.notices = notices;
    }

    void add(ChannelListener listener) {
        listeners.add(listener);
    }

    void connected(Channel channel) {
        notices.note(() -> listeners.forEach(listener -> listener.onConnect(channel)));
    }

    void closed(Channel channel) {
        notices.note(() -> listeners.forEach(listener -> listener.onClose(channel)));
    }
}
