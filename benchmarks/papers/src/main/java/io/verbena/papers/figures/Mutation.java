package io.verbena.papers.figures;

/**
 * A figure with one thing in it broken on purpose, by its settings: a claim that no such figure turns cannot fail, and
 * so says nothing.
 *
 * @param text what is broken
 * @param figure broken so
 */
public record Mutation(String text, PaperFigure figure) {}
