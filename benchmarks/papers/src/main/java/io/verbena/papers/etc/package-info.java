/** What a process with an append queue takes from the operating system. */
@NullMarked
package io.verbena.papers.etc;

import org.jspecify.annotations.NullMarked;
