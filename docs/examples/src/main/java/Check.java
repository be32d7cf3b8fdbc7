/** What the programs here share: a check of what they got, which ends the program with 1 if it does not hold. */
final class Check {
    private Check() {}

    static void that(boolean holds, String what) {
        if (!holds) {
            System.out.println("WRONG: " + what);
            System.exit(1);
        }
    }
}
