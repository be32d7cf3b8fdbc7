/**
 * Files in the memory of peers and donors: {@link io.verbena.file.RemoteFileSystemProvider} is a provider of {@code
 * java.nio.file} for {@code verbena://name/path}, over one {@link io.verbena.tier.PagedMemory}.
 *
 * <pre>
 *   Files.*, FileChannel, any library on Path
 *        │
 *   RemoteFileSystemProvider ──▶ RemoteFileSystem        by its name; one process has it open
 *        │                          │
 *        │ names                    ├── Tree        directories, under one lock: no I/O
 *        │                          │     Directory ──▶ Directory, RegularFile
 *        ▼ bytes                    │
 *   RemoteFileChannel ──▶ FileContent ◀──┘ one a file: which block is where, under the file's lock
 *                             │
 *                             ├── BlockPool    blocks of 128 KiB that no file has
 *                             ▼
 *                        PagedMemory ──▶ frames here, blocks striped over peers
 * </pre>
 *
 * <p>What is at peers are bytes alone. Names, attributes and the places of blocks are in the process that opened the
 * file system, and end with it.
 */
@NullMarked
package io.verbena.file;

import org.jspecify.annotations.NullMarked;
