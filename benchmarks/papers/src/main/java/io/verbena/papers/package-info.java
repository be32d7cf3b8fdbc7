/**
 * The papers' workloads, baselines and figures, on the simulation and with what {@code bench} measures on this machine;
 * a package a paper: {@code rima}, {@code palos}, {@code drum}, {@code avatar} and {@code rdmabox}.
 *
 * <pre>
 *   FiguresCommand ──▶ rima ──▶ etc ──▶ receive ──▶ srq ──▶ workload
 *         │             └────┬───┘
 *         ├──▶ palos ──▶ figures (claims, tables, plots)
 *         ├──▶ drum ────────┤
 *         ├──▶ avatar ──────┤
 *         ├──▶ rdmabox ─────┘
 *         └──▶ model (the simulated NIC and host themselves) ──▶ palos
 * </pre>
 */
@NullMarked
package io.verbena.papers;

import org.jspecify.annotations.NullMarked;
