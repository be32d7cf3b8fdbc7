package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.OperationHandler;
import io.verbena.SendResult;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The states of a page, by hand: what is under way ends when the test says so. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BlockTest {
    private static final int PAGE = 4096;

    private final Geometry geometry = new Geometry(64 * PAGE, PAGE, 8 * PAGE);
    private final Frames frames = new Frames(16, PAGE);
    private final FakeStore a = new FakeStore(0);
    private final FakeStore b = new FakeStore(1);
    private final FakeStore c = new FakeStore(2);
    private final Stores stores = new Stores(geometry, List.of(a, b, c), null, 2);
    private final Space space = new Space(geometry, frames, stores);
    private final Block block = space.get(3);
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[PAGE]);

    /** A peer that lives and dies when the test says so; operations are not its own. */
    private static final class FakeStore implements Store {
        private final int number;
        private boolean alive = true;
        private long room = 1;

        FakeStore(int number) {
            this.number = number;
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public boolean isAlive() {
            return alive;
        }

        @Override
        public long room() {
            return alive ? room : 0;
        }

        @Override
        public long take() {
            return --room;
        }

        @Override
        public long taken() {
            return 1 - room;
        }

        @Override
        public SendResult read(
                long offset, MutableDirectBuffer target, int index, int length, long id, OperationHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SendResult write(
                long offset, MutableDirectBuffer source, int index, int length, long id, OperationHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void together(long offset, Runnable posts) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void failed() {
            alive = false;
        }

        @Override
        public String toString() {
            return "store " + number;
        }
    }

    private void fill(int value) {
        bytes.setMemory(0, PAGE, (byte) value);
    }

    /** Writes a page that has no frame. @return its frame */
    private int writeNew(int page, int value) {
        fill(value);
        int frame = frames.take();
        assertThat(block.write(page, 0, bytes, 0, PAGE)).isEqualTo(Attempt.NEEDS_FRAME);
        assertThat(block.writeNew(page, frame, 0, bytes, 0, PAGE)).isEqualTo(Attempt.DONE);
        return frame;
    }

    private void rewrite(int page, int value) {
        fill(value);
        assertThat(block.write(page, 0, bytes, 0, PAGE)).isEqualTo(Attempt.DONE);
    }

    private void expect(int page, int value) {
        assertThat(block.read(page, 17, bytes, 0, 1)).isEqualTo(Attempt.DONE);
        assertThat(bytes.getByte(0)).isEqualTo((byte) value);
    }

    /** Begins to write what is dirty. @return the stores that it goes to */
    private List<Store> begin(long pages) {
        Block.Batch batch = block.beginWrite();
        assertThat(batch).isNotNull();
        assertThat(batch.pages()).isEqualTo(pages);
        return batch.replicas().stream().map(each -> each.store).toList();
    }

    /** Writes back what is dirty. */
    private List<Store> save(long pages) {
        List<Store> to = begin(pages);
        for (int page = 0; page < geometry.pagesPerBlock; page++) {
            for (Store each : to) {
                if ((pages & 1L << page) != 0) {
                    block.endWrite(page, each.number(), true);
                }
            }
        }
        return to;
    }

    /** A page that is at one replica only is dirty; what is written then is at none. */
    @Test
    void whatIsWrittenToADirtyPageIsAtNoReplica() {
        writeNew(0, 1);
        List<Store> to = begin(1);
        block.endWrite(0, to.get(0).number(), true);
        block.endWrite(0, to.get(1).number(), false);
        rewrite(0, 2);
        begin(1);
        block.endWrite(0, to.get(0).number(), false);
        block.endWrite(0, to.get(1).number(), true);
        assertThat(block.unsaved()).as("the first replica has the old one").isEqualTo(1);
        save(1);
        assertThat(block.unsaved()).isZero();
    }

    /** A page that is just being loaded is still to be copied to the replica that lacks it. */
    @Test
    void aPageThatIsBeingLoadedIsStillSingle() {
        writeNew(0, 1);
        List<Store> to = save(1);
        ((FakeStore) to.get(1)).alive = false;
        block.check();
        assertThat(block.evict(block.frame(0))).isTrue();
        assertThat(block.replicate()).isTrue();
        assertThat(block.isToBeCopied(0)).isTrue();
        int frame = frames.take();
        Replica source = block.beginLoad(0, frame, true);
        assertThat(source).isNotNull();
        assertThat(block.isToBeCopied(0)).isTrue();
        assertThat(block.isSingle()).isTrue();
        block.endLoad(0, source.store.number(), false);
        assertThat(block.isToBeCopied(0)).isTrue();
    }

    private @Nullable Store load(int page, boolean done) {
        int frame = frames.take();
        Replica source = block.beginLoad(page, frame, false);
        if (source == null) {
            frames.give(frame);
            return null;
        }
        assertThat(block.read(page, 0, bytes, 0, 1)).isEqualTo(Attempt.BUSY);
        assertThat(block.isLoading(page)).isTrue();
        block.endLoad(page, source.store.number(), done);
        return source.store;
    }

    @Test
    void aPageIsCleanOnceEveryReplicaHasIt() {
        int frame = writeNew(2, 7);
        assertThat(block.evict(frame)).isFalse();
        List<Store> to = begin(0b100);
        assertThat(to).hasSize(2).doesNotHaveDuplicates();
        assertThat(block.beginWrite()).as("it is under way").isNull();
        block.endWrite(2, to.get(0).number(), true);
        assertThat(block.evict(frame)).isFalse();
        assertThat(block.unsaved()).isEqualTo(0b100);
        block.endWrite(2, to.get(1).number(), true);
        assertThat(block.unsaved()).isZero();
        assertThat(space.counters().dirty.sum()).isZero();
        expect(2, 7);
        assertThat(block.evict(frame)).isTrue();
        assertThat(block.isLoadable(2)).isTrue();
        assertThat(block.read(2, 0, bytes, 0, 1)).isEqualTo(Attempt.ABSENT);
    }

    @Test
    void aPageThatAReplicaRefusesStaysDirty() {
        int frame = writeNew(0, 1);
        List<Store> to = begin(1);
        block.endWrite(0, to.get(0).number(), true);
        block.endWrite(0, to.get(1).number(), false);
        assertThat(block.evict(frame)).isFalse();
        assertThat(save(1)).isEqualTo(to);
        assertThat(block.evict(frame)).isTrue();
    }

    @Test
    void whatIsWrittenWhileItIsOnItsWayIsWrittenAgain() {
        int frame = writeNew(0, 1);
        for (int ended = 0; ended < 2; ended++) { // before it is rewritten
            List<Store> to = begin(1);
            to.subList(0, ended).forEach(each -> block.endWrite(0, each.number(), true));
            rewrite(0, 2);
            assertThat(block.beginWrite()).as("it is under way").isNull();
            to.subList(ended, 2).forEach(each -> block.endWrite(0, each.number(), true));
            assertThat(block.unsaved()).isEqualTo(1);
            assertThat(block.evict(frame)).isFalse();
        }
        save(1);
        assertThat(block.unsaved()).isZero();
        rewrite(0, 3);
        assertThat(block.unsaved()).isEqualTo(1);
        assertThat(block.evict(frame)).isFalse();
        expect(0, 3);
    }

    @Test
    void theOtherReplicaServes() {
        int frame = writeNew(0, 1);
        List<Store> to = save(1);
        assertThat(block.evict(frame)).isTrue();
        frames.give(frame);
        to.get(0).failed();
        assertThat(load(0, true)).isSameAs(to.get(1));
        assertThat(block.unsaved()).as("the only replica has it").isZero();
        assertThat(block.isSingle()).isTrue();
    }

    /** It died after it was asked. */
    @Test
    void aLoadThatFailedIsTriedAtTheOtherReplica() {
        assertThat(block.evict(writeNewAndSave(0))).isTrue();
        Store first = load(0, false);
        first.failed();
        assertThat(block.lostWith(0)).isNull();
        Store second = load(0, false);
        assertThat(second).isNotNull().isNotSameAs(first);
        second.failed();
        assertThat(load(0, true)).isNull();
        assertThat(block.lostWith(0)).isSameAs(second);
        assertThat(block.read(0, 0, bytes, 0, 1)).isEqualTo(Attempt.LOST);
        assertThat(block.write(0, 0, bytes, 0, PAGE - 1)).isEqualTo(Attempt.LOST);
        assertThat(block.read(1, 0, bytes, 0, 1)).as("never written").isEqualTo(Attempt.DONE);
        assertThat(space.counters().lost.sum()).isEqualTo(1);
        writeNew(0, 9);
        expect(0, 9);
        assertThat(block.lostWith(0)).isNull();
        assertThat(space.counters().lost.sum()).isZero();
    }

    private int writeNewAndSave(int page) {
        int frame = writeNew(page, 1);
        save(1L << page);
        return frame;
    }

    @Test
    void bothDieWhileAPageIsLoaded() {
        assertThat(block.evict(writeNewAndSave(0))).isTrue();
        int frame = frames.take();
        Replica source = block.beginLoad(0, frame, false);
        assertThat(source).isNotNull();
        a.failed();
        b.failed();
        c.failed();
        block.check();
        assertThat(block.lostWith(0)).as("it may come yet").isNull();
        block.endLoad(0, source.store.number(), false);
        assertThat(block.lostWith(0)).isSameAs(source.store);
    }

    /** What came before the peer died is valid, and the only copy. */
    @Test
    void aPageThatIsLoadedFromADyingPeerIsDirty() {
        assertThat(block.evict(writeNewAndSave(0))).isTrue();
        int frame = frames.take();
        Replica source = block.beginLoad(0, frame, false);
        assertThat(source).isNotNull();
        a.failed();
        b.failed();
        c.failed();
        block.check();
        block.endLoad(0, source.store.number(), true);
        assertThat(block.unsaved()).isEqualTo(1);
        assertThat(block.evict(frame)).isFalse();
        assertThat(block.beginWrite()).as("there is no room").isNull();
        assertThat(block.lostWith(0)).isNull();
    }

    @Test
    void aCleanPageWhosePeersDieIsKeptAndGoesToAnother() {
        int frame = writeNew(0, 4);
        List<Store> to = save(1);
        to.forEach(Store::failed);
        assertThat(block.evict(frame)).isFalse();
        assertThat(save(1)).hasSize(1).doesNotContainAnyElementsOf(to);
        expect(0, 4);
        assertThat(block.evict(frame)).isTrue();
        assertThat(load(0, true)).isNotNull();
    }

    @Test
    void aBlockThatLostAReplicaGetsAnother() {
        int resident = writeNew(0, 1);
        int evicted = writeNew(1, 2);
        List<Store> to = save(0b11);
        assertThat(block.evict(evicted)).isTrue();
        assertThat(block.replicate()).as("it has all").isFalse();
        to.get(0).failed();
        assertThat(block.isSingle()).isTrue();
        assertThat(block.replicate()).isTrue();
        assertThat(block.isSingle()).as("page 1 is not there yet").isTrue();
        assertThat(block.isToBeCopied(1)).isTrue();
        assertThat(load(1, true)).isSameAs(to.get(1));
        assertThat(block.unsaved()).isEqualTo(0b11);
        assertThat(save(0b11)).hasSize(2).contains(to.get(1)).doesNotContain(to.get(0));
        assertThat(block.isSingle()).isFalse();
        to.get(1).failed();
        assertThat(block.evict(resident)).isTrue();
        assertThat(load(0, true)).isNotNull();
    }

    @Test
    void aPageThatIsDroppedGivesItsFrameBackOnceItIsClean() {
        writeNew(0, 1);
        writeNew(1, 2);
        block.drop(0, 2);
        assertThat(space.counters().resident.sum()).isEqualTo(2);
        List<Store> to = begin(0b11);
        rewrite(1, 3); // somebody needs it after all
        to.forEach(each -> block.endWrite(0, each.number(), true));
        to.forEach(each -> block.endWrite(1, each.number(), true));
        assertThat(space.counters().resident.sum()).isEqualTo(1);
        save(0b10);
        expect(1, 3);
        block.drop(0, 2);
        assertThat(space.counters().resident.sum()).isZero();
        assertThat(frames.freeCount()).isEqualTo(16);
    }

    @Test
    void withoutRoomNothingIsTaken() {
        a.failed();
        b.failed();
        c.failed();
        int frame = frames.take();
        assertThat(block.writeNew(0, frame, 0, bytes, 0, PAGE)).isEqualTo(Attempt.NO_ROOM);
        assertThat(block.read(0, 0, bytes, 0, 1)).isEqualTo(Attempt.DONE);
        assertThat(bytes.getByte(0)).isZero();
    }

    /** What is on its way when it is discarded is never found again, neither here nor at a replica. */
    @Test
    void aPageThatIsDiscardedOnItsWayIsAsNeverWritten() {
        writeNew(0, 1);
        writeNew(1, 2);
        List<Store> to = begin(0b11);
        block.discard(0, 2);
        expect(0, 0);
        rewrite(1, 3);
        to.forEach(each -> block.endWrite(0, each.number(), true));
        to.forEach(each -> block.endWrite(1, each.number(), true));
        expect(0, 0);
        expect(1, 3);
        assertThat(block.unsaved()).isEqualTo(0b10);
        assertThat(space.counters().resident.sum()).isEqualTo(1);
        block.discard(0, 2);
        expect(1, 0);
        assertThat(block.unsaved()).isZero();
        assertThat(space.counters().dirty.sum()).isZero();
        assertThat(frames.freeCount()).isEqualTo(16);
    }

    @Test
    void aPageThatIsDiscardedWhileItIsLoadedIsAsNeverWritten() {
        assertThat(block.evict(writeNewAndSave(0))).isTrue();
        Replica source = block.beginLoad(0, frames.take(), false);
        assertThat(source).isNotNull();
        block.discard(0, 1);
        assertThat(block.read(0, 0, bytes, 0, 1)).isEqualTo(Attempt.BUSY);
        block.endLoad(0, source.store.number(), true);
        expect(0, 0);
        assertThat(space.counters().resident.sum()).isZero();
    }

    @Test
    void aLostPageThatIsDiscardedIsZero() {
        assertThat(block.evict(writeNewAndSave(0))).isTrue();
        a.failed();
        b.failed();
        c.failed();
        block.check();
        assertThat(space.counters().lost.sum()).isEqualTo(1);
        block.discard(0, 1);
        assertThat(space.counters().lost.sum()).isZero();
        expect(0, 0);
    }
}
