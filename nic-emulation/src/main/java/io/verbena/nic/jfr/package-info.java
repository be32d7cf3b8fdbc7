/**
 * Events for the JDK's flight recorder: once a second what each group got and was entitled to, and what waiting cost;
 * and changes of weights. Nothing happens here while nobody records.
 */
@NullMarked
package io.verbena.nic.jfr;

import org.jspecify.annotations.NullMarked;
