package import LibCrypto

/// A step of the schema: a file of `schemas/sql`, embedded in the binary as it is.
package struct Migration: Hashable, Sendable {
    /// Its number: 1, 2, 3 and so on.
    package let version: Int32
    /// The file's name without its ending.
    package let name: String
    /// The file's bytes.
    package let script: [UInt8]

    /// SHA-256 of the file: an applied step must never change.
    package var digest: Digest32 { SHA256.hash(script) }

    /// All steps in order.
    package static let all = [
        Migration(
            version: 1, name: "0001_keys_inbox_progress",
            script: PackageResources._001_keys_inbox_progress_sql),
        Migration(
            version: 2, name: "0002_withdrawals", script: PackageResources._002_withdrawals_sql),
        Migration(
            version: 3, name: "0003_never_backwards",
            script: PackageResources._003_never_backwards_sql),
        Migration(
            version: 4, name: "0004_certificate_serials",
            script: PackageResources._004_certificate_serials_sql),
        Migration(
            version: 5, name: "0005_owners", script: PackageResources._005_owners_sql),
        Migration(
            version: 6, name: "0006_key_policies", script: PackageResources._006_key_policies_sql),
        Migration(
            version: 7, name: "0007_receipts", script: PackageResources._007_receipts_sql),
        Migration(version: 8, name: "0008_audit", script: PackageResources._008_audit_sql),
        Migration(version: 9, name: "0009_used_once", script: PackageResources._009_used_once_sql),
        Migration(
            version: 10, name: "0010_reattested", script: PackageResources._010_reattested_sql),
    ]
}

/// Where a database's schema stands, compared with this binary.
package enum SchemaState: Hashable, Sendable {
    /// All steps are applied.
    case current
    /// Steps are missing: run `attest-worker migrate`.
    case behind(missing: [Migration])
    /// A newer binary migrated it. Steps only ever add, so this binary still works.
    case ahead(version: Int32)
    /// A step was applied from another text under the same number: not our schema.
    case altered(version: Int32)
}
