/** NICs on each of the fabrics, opened and linked the same way, for whatever measures over them. */
@NullMarked
package io.verbena.bench.fabric;

import org.jspecify.annotations.NullMarked;
