package io.verbena.redis;

/** Versions that the server tells its clients. */
final class ServerVersion {
    /** Version of Redis whose commands and replies are followed; clients choose their commands by it. */
    static final String REDIS = "7.0.15";

    private ServerVersion() {}

    /** Version of Verbena. */
    static String verbena() {
        String version = ServerVersion.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
