package io.verbena.papers.workload;

/** What is a message of the ETC workload. */
public enum EtcVariant {
    /**
     * A key and its value, both as published (SIGMETRICS 2012): mean 231 B, of the values 96.6 % up to 1 KiB, 99.9 % up
     * to 4.97 KB.
     */
    ETC,

    /**
     * A value alone, the tail's weight raised from 0.558 to 0.67, which gives the points that the RIMA paper's figure
     * of sizes has: mean 232.6 B, 95.9 % up to 1 KiB (the paper: 95.6), 99.9 % up to 5.34 KB (the paper: 5.4).
     */
    ETC_RIMA;

    static final double RIMA_TAIL_SHARE = 0.67;
}
