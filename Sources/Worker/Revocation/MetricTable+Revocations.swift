// The list of what is revoked; told only where `revocations.path` is set.

extension MetricTable {
    static let revocationList = MetricFamily(
        "attest_worker_revocation_list", .info, labels: ["version"],
        "Which list of revocations stands: the first twelve digits of its file's SHA-256. Workers"
            + " of one fleet have the same within seconds.")
    static let revocationEntries = MetricFamily(
        "attest_worker_revocation_entries", .gauge, labels: ["kind"],
        "Entries of the list that stands: key, certificate, app.")
    static let revocationWritten = MetricFamily(
        "attest_worker_revocation_list_timestamp_seconds", .gauge, .seconds,
        "When the file of the list that stands was written, in seconds since 1970.")
    static let revocationAgeMax = MetricFamily(
        "attest_worker_revocation_list_max_age_seconds", .gauge, .seconds,
        "How old the file may become, where `revocations.maxAge` is set.")
    static let revocationReads = MetricFamily(
        "attest_worker_revocation_list_reads", .counter, labels: ["result"],
        "Files that were taken over as the list, and files that could not be used.")
    static let revocationRefused = MetricFamily(
        "attest_worker_revocation_list_refused", .gauge,
        "1 while the file as it is now can't be used, so that an older list stands.")
}
