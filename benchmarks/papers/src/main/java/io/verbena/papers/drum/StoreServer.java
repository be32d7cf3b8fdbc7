package io.verbena.papers.drum;

import io.verbena.nic.Completion;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * The processor of a store whose operations are two-sided: a request is a WRITE with an immediate, which says whose it
 * is; a thread of the server takes it from its completion queue, does what is asked, and WRITEs the answer into the
 * client's memory, which the client looks at. Queue pairs are dealt out to threads.
 */
final class StoreServer {
    /** Threads, each with a core: those of the processor in DRUM's testbed (V-A). */
    static final int THREADS = 8;

    /** What finding a key, and a value in its place, takes a thread. */
    static final long SERVICE_NANOS = 500;

    private static final long BELL_NANOS = 200;
    private static final HostModel HOST = HostModel.virtualMachine().mmio(BELL_NANOS);

    /** Requests a second that its threads complete, if nothing else is waited for. */
    static final double PER_SECOND =
            THREADS * 1e9 / (HOST.completionNanos() + SERVICE_NANOS + HOST.postNanos() + BELL_NANOS);

    /** Bytes of a GET, and of what a PUT is answered by. */
    private static final int SHORT = 32;

    private static final int RECEIVES = 4096;
    private static final int COMPLETIONS = 8192;
    private static final int LIMIT = 16;
    private static final int MAX_CALLS = 1024;
    private static final int ANSWERS = 512 << 10; // from here on in a client's memory
    private static final int ANSWER = 72 << 10;

    private final DrumWorld.Server server;
    private final NicModel nic;
    private final SimCores cores;
    private final SharedReceiveQueue receives;
    private final MemoryRegion numbers; // of answers, the last bytes of each
    private final List<Worker> workers = new ArrayList<>();
    private final Map<Integer, HostQueuePair> queuePairs = new HashMap<>();
    private long completed;
    private long answered;
    private final List<Call> calls = new ArrayList<>();

    /** Starts its threads. */
    StoreServer(DrumWorld.Server server, NicModel nic) {
        this.server = server;
        this.nic = nic;
        cores = new SimCores(server.simulation(), THREADS, HOST);
        receives = server.domain().createSharedReceiveQueue(RECEIVES, 1);
        numbers = server.domain().allocate(MAX_CALLS * Long.BYTES, Access.ALL);
        for (int i = 0; i < RECEIVES; i++) {
            receive();
        }
        for (int i = 0; i < THREADS; i++) {
            Worker worker = new Worker();
            workers.add(worker);
            cores.start("store" + i, worker);
        }
    }

    /** Completions of requests, or of pieces, that threads have taken. */
    long completed() {
        return completed;
    }

    /** Operations that they have answered. */
    long answered() {
        return answered;
    }

    /** Time that all threads together have had something to answer. */
    long workedNanos() {
        return workers.stream().mapToLong(worker -> worker.worked).sum();
    }

    private void receive() {
        receives.postReceive(0, server.target().key(), 0, SHORT);
    }

    /** A queue pair whose requests a thread answers, to be connected; with room for so many answers. */
    QueuePair queuePair(int depth) {
        HostCompletionQueue completions = workers.get(queuePairs.size() % THREADS).completions;
        QueuePair made = server.domain()
                .createQueuePair(new QueuePairAttributes()
                        .completionQueue(completions.queue())
                        .sharedReceiveQueue(receives)
                        .maxSge(2)
                        .maxSend(depth));
        queuePairs.put(made.number(), new HostQueuePair(made, nic, cores));
        return made;
    }

    /**
     * What a client has under way, one operation at a time.
     *
     * @param memory where answers come to
     * @param place of it among those that share the memory, from 0 on
     * @param reads says of each operation whether it is a GET
     */
    Call call(MemoryRegion memory, int place, BooleanSupplier reads) {
        if (calls.size() == MAX_CALLS || ANSWERS + (place + 1L) * ANSWER > memory.length()) {
            throw new IllegalStateException("no room for another client");
        }
        Call made = new Call(calls.size(), memory, ANSWERS + place * ANSWER, reads);
        calls.add(made);
        return made;
    }

    /** A client's operation. */
    final class Call {
        private final int index;
        private final MemoryRegion memory;
        private final int place;
        private final BooleanSupplier reads;
        private long number;
        private int request; // bytes
        private int arrived; // of them
        private int answer;

        Call(int index, MemoryRegion memory, int place, BooleanSupplier reads) {
            this.index = index;
            this.memory = memory;
            this.place = place;
            this.reads = reads;
        }

        /** Makes what the client sends: the request, or a piece of it. */
        IntFunction<SendRequest> requests() {
            return bytes -> new SendRequest()
                    .writeImmediate(server.target().key(), 0, index)
                    .local(memory.key(), 0, bytes);
        }

        /** A connection on which an operation is complete when its answer is there. */
        Connection over(Connection sends) {
            return new Connection() {
                private boolean sent;

                @Override
                public void post(SimThread self, int[] bytes) {
                    if (bytes.length != 1) {
                        throw new IllegalArgumentException(bytes.length + " operations at a time, not 1");
                    }
                    sent = false;
                    sends.post(self, new int[] {begin(bytes[0])});
                }

                @Override
                public void poll(SimThread self, Runnable completed) {
                    if (!sent) {
                        sends.poll(self, () -> sent = true);
                    } else {
                        self.run(cores.model().pollNanos()).then(() -> {
                            if (isAnswered()) {
                                completed.run();
                            }
                        });
                    }
                }
            };
        }

        /** Begins one with a value of so many bytes. @return bytes of the request */
        private int begin(int value) {
            boolean get = reads.getAsBoolean();
            number++;
            arrived = 0;
            request = get ? SHORT : SHORT + value;
            answer = get ? value : SHORT;
            return request;
        }

        private boolean isAnswered() {
            return memory.buffer().getLong(place + answer) == number;
        }

        private SendRequest answer() {
            numbers.buffer().putLong(index * Long.BYTES, number);
            return new SendRequest()
                    .write(memory.key(), place)
                    .local(server.target().key(), 0, answer)
                    .local(numbers.key(), (long) index * Long.BYTES, Long.BYTES)
                    .signaled(false);
        }
    }

    /** A thread. */
    private final class Worker implements SimTask {
        private final HostCompletionQueue completions =
                new HostCompletionQueue(server.node().nic().createCompletionQueue(COMPLETIONS), cores);
        private final ArrayDeque<Asked> asked = new ArrayDeque<>();
        private long since; // the turn began
        private boolean answers; // in it
        private long worked;

        @Override
        public void step(SimThread self) {
            long now = server.simulation().nowNanos();
            worked += answers ? now - since : 0;
            since = now;
            completions.poll(self, this::arrived, LIMIT);
            answers = !asked.isEmpty();
            for (Asked each = asked.poll(); each != null; each = asked.poll()) {
                self.run(SERVICE_NANOS);
                each.qp.post(self, each.call.answer());
                each.qp.doorbell(self);
            }
        }

        private void arrived(Completion completion) {
            OwnQueuePair.check(completion);
            receive();
            completed++;
            Call call = calls.get(completion.immediate());
            call.arrived += completion.byteLength();
            if (call.arrived == call.request) {
                HostQueuePair qp = queuePairs.get(completion.qpNumber());
                if (qp == null) {
                    throw new IllegalStateException("a request by queue pair " + completion.qpNumber());
                }
                answered++;
                asked.add(new Asked(call, qp));
            }
        }
    }

    /** An operation that has arrived. */
    private record Asked(Call call, HostQueuePair qp) {}
}
