import AppAttest

/// How long a credential certificate lives, which Apple changed several times.
///
/// | issued | not before | lifetime |
/// | --- | --- | --- |
/// | August 2020 | 10 minutes before | 1 day |
/// | September 2020 to 2022 | 24 hours before | 3 days |
/// | 2023 to June 2025 | 24 hours before | 193 to 353 days, each its own |
/// | since July 2025 | 24 hours before | 3 days |
///
/// The borders between the eras are not known to the day. Since February 2026 certificates name a
/// purpose as well.
struct CredentialValidity {
    /// The first moment at which the certificate is valid.
    let notBefore: Instant
    /// The last moment at which the certificate is valid.
    let notAfter: Instant
    /// The era the certificate is of.
    let era: Era

    /// Spans in which certificates were alike, in order of time.
    enum Era {
        case beta
        case short
        case long
        case shortAgain
        case shortWithPurpose
    }

    private static let minute: Int64 = 60_000
    private static let day: Int64 = 1440 * minute

    /// The validity of a certificate that is issued at a moment.
    init(issuedAt instant: Instant, seed: UInt64) {
        let era = Self.era(at: instant)
        let head = era == .beta ? 10 * Self.minute : Self.day
        let lifetime =
            switch era {
            case .beta: Self.day
            case .short, .shortAgain, .shortWithPurpose: 3 * Self.day
            case .long: (193 + Int64(seed % 161)) * Self.day
            }
        self.era = era
        notBefore = Instant(milliseconds: instant.milliseconds - head)
        notAfter = Instant(milliseconds: notBefore.milliseconds + lifetime)
    }

    private static func era(at instant: Instant) -> Era {
        switch instant {
        case ..<Instant(seconds: 1_598_918_400): .beta  // 2020-09-01
        case ..<Instant(seconds: 1_672_531_200): .short  // 2023-01-01
        case ..<Instant(seconds: 1_751_328_000): .long  // 2025-07-01
        case ..<Instant(seconds: 1_769_904_000): .shortAgain  // 2026-02-01
        default: .shortWithPurpose
        }
    }
}
