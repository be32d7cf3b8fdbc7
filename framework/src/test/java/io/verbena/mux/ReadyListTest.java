package io.verbena.mux;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.mux.SimChannels.Sender;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.wire.AppendEthFlyweight;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Paths that have something to send: each is listed once until the engine takes it, and none is forgotten. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ReadyListTest {
    private static final class Entry extends ReadyList.Entry {
        private final AtomicInteger published = new AtomicInteger();
        private int served;
    }

    private final ReadyList ready = new ReadyList();

    private List<ReadyList.Entry> takeAll() {
        List<ReadyList.Entry> taken = new ArrayList<>();
        for (ReadyList.Entry entry = ready.take(); entry != null; entry = ready.take()) {
            taken.add(entry);
        }
        return taken;
    }

    @Test
    void thoseThatCameFirstAreTakenFirst() {
        List<Entry> entries = List.of(new Entry(), new Entry(), new Entry());
        for (int round = 0; round < 3; round++) {
            entries.forEach(ready::add);
            assertThat(takeAll()).isEqualTo(entries);
        }
    }

    @Test
    void oneThatIsListedIsNotListedAgainAndOneThatWasTakenIs() {
        Entry one = new Entry();
        Entry other = new Entry();
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 10; i++) {
                ready.add(one);
                ready.add(other);
            }
            assertThat(ready.take()).isSameAs(one);
            ready.add(other); // which is listed still
            ready.add(one); // which was taken
            assertThat(takeAll()).containsExactly(other, one);
        }
    }

    /** Each publishes and lists as fast as it can; the engine looks only at what it takes. */
    @Test
    void nothingThatWasPublishedIsLeft() throws InterruptedException {
        int each = 20_000;
        List<Entry> entries = new ArrayList<>();
        List<Thread> posters = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            List<Entry> own = List.of(new Entry(), new Entry(), new Entry());
            entries.addAll(own);
            Thread poster = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    for (Entry entry : own) {
                        entry.published.setRelease(i + 1);
                        ready.add(entry);
                    }
                }
            });
            poster.start();
            posters.add(poster);
        }
        while (posters.stream().anyMatch(Thread::isAlive)) {
            serve();
            Thread.yield();
        }
        serve();
        assertThat(entries).allMatch(entry -> entry.served == each);
        for (Thread poster : posters) {
            poster.join();
        }
    }

    private void serve() {
        for (ReadyList.Entry taken : takeAll()) {
            VarHandle.fullFence();
            Entry entry = (Entry) taken;
            entry.served = entry.published.getAcquire();
        }
    }

    /** As many as share a queue pair at most, all of which post before the engine has a turn. */
    @Test
    void allChannelsOfAQueuePairPostAtATime() {
        SimChannels rig =
                new SimChannels(1, new LinkProfile().rate(10_000_000_000L), SimChannels.SEGMENT, 8 * SimChannels.MAX);
        List<Sender> senders = new ArrayList<>();
        for (int i = 0; i < AppendEthFlyweight.MAX_STREAM; i++) {
            senders.add(rig.sender(1));
        }
        for (int round = 0; round < 3; round++) {
            senders.forEach(sender -> assertThat(sender.post(16)).isTrue());
            senders.forEach(sender -> assertThat(sender.post(16)).isTrue());
            rig.finish();
        }
    }
}
