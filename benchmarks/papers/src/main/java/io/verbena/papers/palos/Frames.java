package io.verbena.papers.palos;

/**
 * Frames of a link, and what a NIC needs between its scheduler and the wire to keep the wire busy with them.
 *
 * @param title for people
 * @param mtu bytes of payload in a packet, at most
 * @param maxPacket bytes of a packet with its headers, at most
 * @param window bytes that are handed over and not on the wire yet, at most
 */
public record Frames(String title, int mtu, int maxPacket, int window) {
    /**
     * Frames of 1500 bytes as RoCE typically has them (II-B). A path MTU is a power of two, so packets carry 1024
     * bytes. The window is what 250 ns of PCIe latency and one packet on PCIe and one on the wire take at 100 Gb/s, and
     * a packet more.
     */
    public static final Frames STANDARD = new Frames("frames of 1500 B", 1024, 1500, 8 * 1024);

    /** Packets of 4 KiB: what the paper's numbers of its ConnectX-5 come from, 47 % in figure 7. */
    public static final Frames JUMBO = new Frames("packets of 4 KiB", 4096, 4096 + 128, 16 * 1024);
}
