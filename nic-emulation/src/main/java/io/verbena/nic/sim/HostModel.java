package io.verbena.nic.sim;

/**
 * What a host's cores take for what NICs and threads ask of them, in nanoseconds: the other side of {@link NicModel}.
 * {@link SimCores} charges it to the thread that pays. Fluent and mutable, but fixed once cores are made of it, which
 * take a copy. By default all is free and a slice is 3 ms.
 *
 * <pre>
 *   who pays             what
 *   the thread           {@link #post}, {@link #mmio}, {@link #poll}, {@link #completion}, {@link #copyNanos},
 *                        {@link #registrationNanos}, its own {@link #systemCall}s
 *   the thread's core    {@link #contextSwitch} whenever a thread comes to it, {@link #interrupt}
 *   who is woken         {@link #idleWake} if a core sleeps, else its wait for a core
 *   who takes a lock     {@link #line} twice and once for each line of data that the lock guards, if another core had
 *                        it last, and {@link #spinner} for each thread that goes on spinning for it
 * </pre>
 */
public final class HostModel {
    private static final int PAGE = 4096;
    private static final long BITS = 8;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    long quantum = 3_000_000;
    long contextSwitch;
    long systemCall;
    long idleWake;
    long interrupt;
    long line;
    long spinner;
    long post;
    long mmio;
    long poll;
    long completion;
    private long copyBitsPerSecond;
    private long registrationFixed;
    private long registrationPerPage;

    /** Creates a host on which nothing takes time. */
    public HostModel() {}

    /**
     * The virtual machines of two cores on which this project is measured, where two cores are near each other.
     *
     * <ul>
     *   <li>Measured there: a cache line there and back 130 ns, so 65 ns one way; park and unpark there and back 10.3
     *       us between two cores and 1.9 us on one, so 0.95 us one way for two system calls and a switch, and 4.5 us
     *       more where a core is to be woken; copies through memory at 7.8 GB/s; a slice of 2.1 ms where three threads
     *       want two cores.
     *   <li>The parts of the 0.95 us, 0.3 us a system call and 0.35 us a switch, are estimates: only their sum is
     *       measured. A poll of an empty queue takes 15 to 50 ns, 30 here.
     *   <li>Of a NIC, which these machines do not have: 50 ns to write a request, 200 ns for a doorbell's write over
     *       PCIe, 65 ns, a line, for a completion, and 1 us for an interrupt's handler. They are assumptions. The sum
     *       of the first two and two lines give the 66 % of Avatar's figure 1 at 3 threads.
     *   <li>8 ns for each thread that spins, an assumption: that a hand-over takes longer in proportion to them is
     *       Anderson's (The performance of spin lock alternatives, 1990).
     *   <li>Registration 12 us and 0.473 us a page: chosen so that it is cheaper than the copy from 928 KB on, where
     *       RDMAbox's figure 5b has the crossover in user space.
     * </ul>
     */
    public static HostModel virtualMachine() {
        return new HostModel()
                .quantum(2_100_000)
                .contextSwitch(350)
                .systemCall(300)
                .idleWake(4_500)
                .interrupt(1_000)
                .line(65)
                .spinner(8)
                .post(50)
                .mmio(200)
                .poll(30)
                .completion(65)
                .copy(62_400_000_000L)
                .registration(12_000, 473);
    }

    HostModel copy() {
        HostModel copy = new HostModel()
                .quantum(quantum)
                .contextSwitch(contextSwitch)
                .systemCall(systemCall)
                .idleWake(idleWake)
                .interrupt(interrupt)
                .line(line)
                .spinner(spinner)
                .post(post)
                .mmio(mmio)
                .poll(poll)
                .completion(completion);
        return copy.copy(copyBitsPerSecond).registration(registrationFixed, registrationPerPage);
    }

    /** How long a thread may run while others wait for its core, at least 1. */
    public HostModel quantum(long nanos) {
        if (nanos < 1) {
            throw new IllegalArgumentException("quantum of " + nanos + " ns < 1");
        }
        quantum = nanos;
        return this;
    }

    /** A thread comes to a core. */
    public HostModel contextSwitch(long nanos) {
        contextSwitch = notNegative("context switch", nanos);
        return this;
    }

    /** A thread wakes another, goes to sleep, or takes an event from a descriptor. */
    public HostModel systemCall(long nanos) {
        systemCall = notNegative("system call", nanos);
        return this;
    }

    /** A core that sleeps wakes up. */
    public HostModel idleWake(long nanos) {
        idleWake = notNegative("wake-up of a core", nanos);
        return this;
    }

    /** The handler of an interrupt, which takes the core from whoever runs on it. */
    public HostModel interrupt(long nanos) {
        interrupt = notNegative("interrupt", nanos);
        return this;
    }

    /** A cache line goes from one core to another, one way. */
    public HostModel line(long nanos) {
        line = notNegative("cache line", nanos);
        return this;
    }

    /** What each thread that goes on spinning adds to the hand-over of a lock. */
    public HostModel spinner(long nanos) {
        spinner = notNegative("spinner", nanos);
        return this;
    }

    /** A thread writes a request into a send queue. */
    public HostModel post(long nanos) {
        post = notNegative("post", nanos);
        return this;
    }

    /** A thread rings a NIC's doorbell: a write into its memory, over PCIe. */
    public HostModel mmio(long nanos) {
        mmio = notNegative("MMIO", nanos);
        return this;
    }

    /** A thread looks at a completion queue. */
    public HostModel poll(long nanos) {
        poll = notNegative("poll", nanos);
        return this;
    }

    /** A thread takes a completion, whose line the NIC has written. */
    public HostModel completion(long nanos) {
        completion = notNegative("completion", nanos);
        return this;
    }

    /** How fast a thread copies, in bits per second; 0 is without limit. */
    public HostModel copy(long bitsPerSecond) {
        copyBitsPerSecond = notNegative("copy rate", bitsPerSecond);
        return this;
    }

    /**
     * What it takes to register memory.
     *
     * @param fixedNanos once a region
     * @param perPageNanos for each page of 4 KiB
     */
    public HostModel registration(long fixedNanos, long perPageNanos) {
        registrationFixed = notNegative("registration", fixedNanos);
        registrationPerPage = notNegative("registration of a page", perPageNanos);
        return this;
    }

    /** What a system call takes. */
    public long systemCallNanos() {
        return systemCall;
    }

    /** What it takes to write a request into a queue. */
    public long postNanos() {
        return post;
    }

    /** What a look at a completion queue takes. */
    public long pollNanos() {
        return poll;
    }

    /** What it takes to take a completion. */
    public long completionNanos() {
        return completion;
    }

    /** What it takes a cache line to go from one core to another, one way. */
    public long lineNanos() {
        return line;
    }

    /** How long a thread copies this many bytes, at least 0. */
    public long copyNanos(long bytes) {
        notNegative("bytes", bytes);
        return copyBitsPerSecond == 0 ? 0 : bytes * BITS * NANOS_PER_SECOND / copyBitsPerSecond;
    }

    /** How long a thread registers this many bytes, at least 0. */
    public long registrationNanos(long bytes) {
        return registrationFixed + (notNegative("bytes", bytes) + PAGE - 1) / PAGE * registrationPerPage;
    }

    private static long notNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + ' ' + value + " < 0");
        }
        return value;
    }
}
