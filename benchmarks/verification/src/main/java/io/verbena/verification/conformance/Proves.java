package io.verbena.verification.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the rows of the table that a test proves. A row fails if any of its tests fails, or if it has none. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Proves {
    /** The rows. */
    Row[] value();
}
