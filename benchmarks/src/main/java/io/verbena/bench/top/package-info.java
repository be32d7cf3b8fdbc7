/** {@code verbena top}: a live view of a node's tenants, over the node's administration socket. */
@NullMarked
package io.verbena.bench.top;

import org.jspecify.annotations.NullMarked;
