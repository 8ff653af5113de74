/// How an app's code was signed and distributed, as a policy names it.
///
/// Source: Apple, "Validating apps that connect to your server" (2026): 1 to 6 and 10 have a
/// meaning, 0 is not valid, 7 to 9 are reserved.
package enum ValidationCategory: Hashable, Sendable {
    /// A number that Apple gave, or may give, a meaning.
    case number(UInt32)
    /// Every number that had no meaning when this program was written; 0 is none of them.
    case unknown

    /// The categories that have a name.
    package static let names: [(name: String, number: UInt32)] = [
        ("platform", 1), ("testFlight", 2), ("development", 3), ("appStore", 4), ("enterprise", 5),
        ("developerID", 6), ("none", 10),
    ]

    /// By its name, `unknown`, or a number from 1 on in decimal; nil otherwise.
    package init?(_ text: String) {
        if text == "unknown" {
            self = .unknown
        } else if let named = Self.names.first(where: { $0.name == text }) {
            self = .number(named.number)
        } else if let number = UInt32(text), number > 0, String(number) == text {
            self = .number(number)
        } else {
            return nil
        }
    }

    /// As a setting writes it: its name, or its number where it has none.
    package var text: String {
        switch self {
        case .unknown: "unknown"
        case .number(let number):
            Self.names.first { $0.number == number }?.name ?? String(number)
        }
    }

    /// Whether a signed number is of this category.
    func includes(_ number: UInt32) -> Bool {
        switch self {
        case .number(let own): own == number
        case .unknown: number != 0 && !Self.names.contains { $0.number == number }
        }
    }
}
