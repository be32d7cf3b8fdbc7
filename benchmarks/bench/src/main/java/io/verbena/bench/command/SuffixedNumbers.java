package io.verbena.bench.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers with a letter behind them. */
final class SuffixedNumbers {
    private SuffixedNumbers() {}

    /** Bytes: {@code 512}, {@code 4k}, {@code 16m}, of 1024. */
    static final class Size implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            long number = parse(value, 1 << 10);
            if (number > Integer.MAX_VALUE) {
                throw new TypeConversionException("'" + value + "' is too much");
            }
            return (int) number;
        }
    }

    /** Messages a second: {@code 500}, {@code 10k}, {@code 1M}, of 1000. */
    static final class Rate implements ITypeConverter<Long> {
        @Override
        public Long convert(String value) {
            return parse(value, 1000);
        }
    }

    /** The shortest that reads as the number: {@code 65536} of 1024 is {@code 64k}, a million of 1000 is {@code 1M}. */
    static String text(long number, int thousand) {
        if (number >= (long) thousand * thousand && number % ((long) thousand * thousand) == 0) {
            return number / thousand / thousand + (thousand == 1000 ? "M" : "m");
        }
        return number >= thousand && number % thousand == 0 ? number / thousand + "k" : String.valueOf(number);
    }

    private static long parse(String value, long thousand) {
        String digits = value;
        long factor = 1;
        if (!value.isEmpty()) {
            char last = Character.toLowerCase(value.charAt(value.length() - 1));
            if (last == 'k' || last == 'm') {
                digits = value.substring(0, value.length() - 1);
                factor = last == 'k' ? thousand : thousand * thousand;
            }
        }
        try {
            return Math.multiplyExact(Long.parseLong(digits), factor);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new TypeConversionException("'" + value + "' is no number such as 32, 4k or 1m");
        }
    }
}
