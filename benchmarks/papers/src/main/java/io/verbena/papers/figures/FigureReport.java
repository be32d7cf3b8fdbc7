package io.verbena.papers.figures;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What came out of one figure: collected while it runs. Not thread-safe. */
public final class FigureReport {
    private final String id;
    private final String title;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<Claim> claims = new ArrayList<>();
    private final List<DataTable> tables = new ArrayList<>();
    private final List<PaperPlot> plots = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Of a figure.
     *
     * @param id of the figure
     * @param title of the figure
     */
    public FigureReport(String id, String title) {
        this.id = id;
        this.title = title;
    }

    /** Something that the numbers depend on. */
    public FigureReport setting(String name, String value) {
        settings.put(name, value);
        return this;
    }

    /** A claim, judged. */
    public FigureReport claim(Claim claim) {
        claims.add(claim);
        return this;
    }

    /** Data. */
    public FigureReport table(DataTable table) {
        tables.add(table);
        return this;
    }

    /** A picture. */
    public FigureReport plot(PaperPlot plot) {
        plots.add(plot);
        return this;
    }

    /** Something that a reader has to know. */
    public FigureReport note(String note) {
        notes.add(note);
        return this;
    }

    /** Names the figure in options and files. */
    public String id() {
        return id;
    }

    /** For people. */
    public String title() {
        return title;
    }

    /** What the numbers depend on. */
    public Map<String, String> settings() {
        return Collections.unmodifiableMap(settings);
    }

    /** The claims, in order. */
    public List<Claim> claims() {
        return List.copyOf(claims);
    }

    /** The data. */
    public List<DataTable> tables() {
        return List.copyOf(tables);
    }

    /** The pictures. */
    public List<PaperPlot> plots() {
        return List.copyOf(plots);
    }

    /** What a reader has to know. */
    public List<String> notes() {
        return List.copyOf(notes);
    }
}
