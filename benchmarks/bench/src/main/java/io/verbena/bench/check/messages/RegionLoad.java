package io.verbena.bench.check.messages;

import io.verbena.Outcome;
import io.verbena.RemoteMemoryException;
import io.verbena.RemoteRegion;
import io.verbena.SendResult;
import io.verbena.bench.check.messages.MessageTally.Count;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Operations on the hub's region: a slot that is this client's alone, the slots of others to look at, words that all
 * add to and words that all swap. Each byte of a slot carries its writer's number, so that whoever reads it sees whose
 * it is.
 */
final class RegionLoad implements ClientLoad {
    private static final int WINDOW = 24;
    private static final int BLOCKING_ODDS = 512;

    private final Site site;
    private final SplittableRandom random;
    private final int writer;
    private final byte[] shadow = new byte[SharedRegionLayout.SLOT_LENGTH]; // what the slot holds when all has ended
    private final UnsafeBuffer source = new UnsafeBuffer(shadow);
    private final long[] atLeast = new long[SharedRegionLayout.SUMS];
    private final long[] seen = new long[SharedRegionLayout.SWAPPED];
    private final boolean[] swapping = new boolean[SharedRegionLayout.SWAPPED];
    private @Nullable RemoteRegion region;
    private long posted;
    private long ended;
    private int reads; // of the own slot that have not ended
    private boolean broken;

    RegionLoad(Site site) {
        this.site = site;
        this.writer = site.number() % SharedRegionLayout.WRITERS;
        this.random = site.random(11);
    }

    @Override
    public void open() {
        RemoteRegion table = site.node().attach(site.host().address(SharedRegionLayout.NAME), Site.TIMEOUT);
        region = table;
        change(0, SharedRegionLayout.SLOT_LENGTH);
        for (int at = 0; at < SharedRegionLayout.SLOT_LENGTH; at += 16 << 10) {
            table.write(SharedRegionLayout.slot(writer) + at, source, at, 16 << 10, Site.TIMEOUT);
        }
    }

    private void change(int from, int length) {
        int value = random.nextInt();
        for (int i = from; i < from + length; i++) {
            shadow[i] = (byte) ((writer << 4) | (((value + i * 7) >>> 3) & 0xF));
        }
    }

    @Override
    public int step(boolean more) {
        RemoteRegion to = region;
        if (to == null) {
            return 0;
        }
        int done = to.poll(64);
        while (more && !broken && posted - ended < WINDOW) {
            SendResult result = post(to);
            if (result != SendResult.SENT) {
                broken = result == SendResult.CLOSED;
                break;
            }
            posted++;
            done++;
        }
        if (more && !broken && random.nextInt(BLOCKING_ODDS) == 0) {
            addAndWait(to);
        }
        if (broken && !site.host().isDisturbed()) {
            site.unexpected(to.toString(), 0, "an open region", "closed: " + to.closeReason());
        }
        return done;
    }

    private SendResult post(RemoteRegion to) {
        switch (random.nextInt(5)) {
            case 0:
                return reads == 0 ? write(to) : readOther(to);
            case 1:
                return readOwn(to);
            case 2:
                return readOther(to);
            case 3:
                return swap(to);
            default:
                return add(to);
        }
    }

    private int length(int at) {
        return Lengths.next(random, SharedRegionLayout.SLOT_LENGTH - at);
    }

    private SendResult write(RemoteRegion to) {
        int at = random.nextInt(SharedRegionLayout.SLOT_LENGTH);
        int length = length(at);
        byte[] before = Arrays.copyOfRange(shadow, at, at + length);
        change(at, length);
        SendResult result =
                to.write(SharedRegionLayout.slot(writer) + at, source, at, length, posted, (id, outcome, v) -> {
                    end(id, outcome);
                });
        if (result != SendResult.SENT) {
            System.arraycopy(before, 0, shadow, at, length);
        }
        return result;
    }

    private SendResult readOwn(RemoteRegion to) {
        int at = random.nextInt(SharedRegionLayout.SLOT_LENGTH);
        int length = length(at);
        byte[] expected = Arrays.copyOfRange(shadow, at, at + length);
        byte[] target = new byte[length];
        SendResult result = to.read(
                SharedRegionLayout.slot(writer) + at, new UnsafeBuffer(target), 0, length, posted, (id, outcome, v) -> {
                    reads--;
                    if (end(id, outcome)) {
                        int different = Arrays.mismatch(expected, target);
                        if (different >= 0) {
                            wrong(
                                    id,
                                    "what was written last at byte " + (at + different) + ", " + expected[different],
                                    "" + target[different]);
                        }
                    }
                });
        reads += result == SendResult.SENT ? 1 : 0;
        return result;
    }

    private SendResult readOther(RemoteRegion to) {
        int other = random.nextInt(SharedRegionLayout.WRITERS);
        int at = random.nextInt(SharedRegionLayout.SLOT_LENGTH);
        int length = length(at);
        byte[] target = new byte[length];
        return to.read(
                SharedRegionLayout.slot(other) + at, new UnsafeBuffer(target), 0, length, posted, (id, outcome, v) -> {
                    if (end(id, outcome)) {
                        for (int i = 0; i < length; i++) {
                            if (target[i] != 0 && ((target[i] >> 4) & 0xF) != other) {
                                wrong(
                                        id,
                                        "bytes of writer " + other + " at byte " + (at + i) + " of its slot",
                                        "one of writer " + ((target[i] >> 4) & 0xF));
                                return;
                            }
                        }
                    }
                });
    }

    private SendResult add(RemoteRegion to) {
        int word = random.nextInt(SharedRegionLayout.SUMS);
        int addend = 1 + random.nextInt(1000);
        return to.fetchAndAdd(SharedRegionLayout.sum(word), addend, posted, (id, outcome, value) -> {
            if (end(id, outcome)) {
                added(id, word, addend, value);
            }
        });
    }

    private void added(long id, int word, int addend, long value) {
        site.host().sums().added(word, addend);
        if (value < atLeast[word]) {
            wrong(id, "sum " + word + " to be at least " + atLeast[word], "" + value);
        }
        atLeast[word] = value + addend;
    }

    private SendResult swap(RemoteRegion to) {
        int word = random.nextInt(SharedRegionLayout.SWAPPED);
        if (swapping[word]) {
            return add(to);
        }
        long expected = seen[word];
        SendResult result = to.compareAndSwap(
                SharedRegionLayout.swapped(word), expected, expected + 1, posted, (id, outcome, value) -> {
                    swapping[word] = false;
                    if (end(id, outcome)) {
                        if (value < expected) {
                            wrong(id, "swapped word " + word + " to be at least " + expected, "" + value);
                        }
                        if (value == expected) {
                            site.host().sums().swapped(word);
                        }
                        seen[word] = value == expected ? expected + 1 : value;
                    }
                });
        swapping[word] = result == SendResult.SENT;
        return result;
    }

    private void addAndWait(RemoteRegion to) {
        int word = random.nextInt(SharedRegionLayout.SUMS);
        try {
            long value = to.fetchAndAdd(SharedRegionLayout.sum(word), 1, Site.TIMEOUT);
            site.tally().add(Count.OPERATIONS, 1);
            added(-1, word, 1, value);
        } catch (RemoteMemoryException e) {
            broken = true;
            if (!site.host().isDisturbed()) {
                site.findings().report("node '" + site.node().name() + "', " + to, e);
            }
        }
    }

    private boolean end(long id, Outcome outcome) {
        if (id != ended) {
            wrong(id, "the end of operation " + ended, "that of operation " + id);
        }
        ended++;
        site.tally().add(Count.OPERATIONS, 1);
        if (outcome != Outcome.DONE && !site.host().isDisturbed()) {
            wrong(id, "DONE", outcome.toString());
        }
        return outcome == Outcome.DONE;
    }

    private void wrong(long number, String expected, String got) {
        String where = "region '" + SharedRegionLayout.NAME + "' as node '"
                + site.node().name() + "' sees it";
        site.findings()
                .report(new Flaw(FlawKind.WRONG_MEMORY, where, String.valueOf(region), 0, number, expected, got));
    }

    @Override
    public boolean isSettled() {
        return ended == posted;
    }

    @Override
    public void close() {
        if (region != null) {
            region.close();
            site.tally().add(Count.CLOSES, 1);
        }
    }

    @Override
    public String state() {
        RemoteRegion to = region;
        return "region load of writer " + writer + ": posted " + posted + ", ended " + ended + ", " + to
                + (to == null ? "" : ", outstanding " + to.outstanding() + ", close reason " + to.closeReason());
    }
}
