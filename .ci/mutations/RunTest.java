import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes and methods, {@code Class} or {@code Class#method}, and says how many passed and failed. Ends with
 * 0 if all passed, 1 if some failed, 2 if none ran.
 */
public final class RunTest {
    private static int passed;
    private static int failed;

    private RunTest() {}

    public static void main(String[] names) throws Exception {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .configurationParameter(
                        "verbena.conformance.fabrics", System.getProperty("verbena.conformance.fabrics", ""))
                .configurationParameter("junit.jupiter.execution.timeout.default", "60 s");
        for (String name : names) {
            request.selectors(selector(name));
        }
        try {
            LauncherFactory.create().execute(request.build(), new Listener());
        } catch (Throwable e) { // what JUnit does not take for a failure of a test: OutOfMemoryError
            failed++;
            System.out.println("failed: " + e);
        }
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed > 0 ? 1 : passed == 0 ? 2 : 0);
    }

    /** Parameterised methods have parameters, which a plain name does not say: they are looked up. */
    private static DiscoverySelector selector(String name) throws ClassNotFoundException {
        int hash = name.indexOf('#');
        if (hash < 0) {
            return selectClass(name);
        }
        Class<?> type = Class.forName(name.substring(0, hash));
        for (var method : type.getDeclaredMethods()) {
            if (method.getName().equals(name.substring(hash + 1))) {
                return selectMethod(type, method);
            }
        }
        throw new IllegalArgumentException("no method " + name);
    }

    private static final class Listener implements TestExecutionListener {
        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                passed += test.isTest() ? 1 : 0;
            } else if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                failed++;
                String reason = result.getThrowable().map(String::valueOf).orElse("").strip();
                System.out.println("failed: " + test.getDisplayName() + ": " + reason.lines().findFirst().orElse(""));
                if (Boolean.getBoolean("trace")) {
                    result.getThrowable().ifPresent(Throwable::printStackTrace);
                }
            }
        }
    }
}
