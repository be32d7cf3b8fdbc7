/**
 * {@code bench files}: what remote files cost beside those in local memory and on a disk.
 *
 * <pre>
 *   FilesCommand ─┬─ FileLoad ── verbena://… ── donors: DonorProcess, as many as wanted
 *                 ├─ FileLoad ── tmpfs
 *                 └─ FileLoad ── a disk, behind the page cache
 * </pre>
 */
@NullMarked
package io.verbena.bench.files;

import org.jspecify.annotations.NullMarked;
