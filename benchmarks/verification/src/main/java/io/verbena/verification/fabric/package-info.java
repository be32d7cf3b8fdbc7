/** NICs on each of the fabrics, opened and linked the same way, for whatever measures over them. */
@NullMarked
package io.verbena.verification.fabric;

import org.jspecify.annotations.NullMarked;
