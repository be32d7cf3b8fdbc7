/**
 * The evaluation of RIMA (append queues), made again on the simulated fabric: memory that one append queue needs beside
 * one shared receive queue and many, and what keeping small memory by other means costs in throughput and latency.
 */
@NullMarked
package io.verbena.papers.rima;

import org.jspecify.annotations.NullMarked;
