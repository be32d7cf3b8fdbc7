package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.redis.backend.Backend;
import io.verbena.redis.backend.NodeStore;
import io.verbena.redis.backend.Store;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy that cannot be launched leaves nothing behind. */
@Timeout(180)
class LaunchFailureTest {
    @Test
    void workersThatWereMadeGiveBackWhatTheyHold() {
        List<Backend> opened = new ArrayList<>();
        Store store = new NodeStore(1, 0, "noeviction");
        Store failing = (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("open")) {
                        return method.invoke(store, arguments);
                    }
                    if (opened.size() == 2) {
                        throw new IllegalStateException("no third backend");
                    }
                    Backend backend = store.open((Integer) arguments[0], (Thread) arguments[1]);
                    opened.add(backend);
                    return backend;
                });

        assertThatThrownBy(() -> ProxyServer.launch(new ProxyContext().port(0).workers(3), failing))
                .hasMessage("no third backend");

        assertThat(opened).hasSize(2).allMatch(backend -> backend.loop().isTerminated());
    }
}
