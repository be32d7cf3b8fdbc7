/**
 * The figures of papers, drawn again: what a paper prints, what comes out here, and whether its claim holds.
 *
 * <pre>
 *   PaperFigure ─ run ─▶ FigureReport ─▶ claims     ─▶ table on the terminal, Markdown
 *   (one a figure)       (of one figure)  tables        │
 *                                         plots      ─▶ PNG
 *                                         settings   ─▶ JSON
 * </pre>
 *
 * <p>A claim is worth what it could have turned out as: each figure names its {@linkplain
 * io.verbena.papers.figures.Mutation mutations}, and {@link io.verbena.papers.figures.MutationRun} runs them.
 *
 * <p>Each paper has a package of its own with its figures and a command that names them. A figure is a function of its
 * seed and size: the same arguments give the same JSON.
 */
@NullMarked
package io.verbena.papers.figures;

import org.jspecify.annotations.NullMarked;
