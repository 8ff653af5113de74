package import AppAttest
package import Worker

/// A row of receipts in an ``InMemoryDatabase``.
package struct InMemoryReceiptRow: Hashable, Sendable {
    /// What is stored of the receipt.
    package var state: ReceiptState
    /// The app of its key.
    package var appID: String
    /// The newest receipt; nil: that of the attestation.
    package var receipt: [UInt8]?
    /// The metric that was told last.
    package var toldMetric: UInt32?
    /// The day on which the key was last seen.
    package var seenOn: Int32
    /// When Apple was asked last.
    package var attemptedAt: Instant?
    /// Rises with each lease and each attestation.
    package var lease: Int64 = 0

    /// The row of a receipt that came with an attestation.
    package init(state: ReceiptState, appID: String, seenOn: Int32) {
        self.state = state
        self.appID = appID
        self.seenOn = seenOn
    }

    /// Whether a change of the metric was not told.
    package var isUntold: Bool { state.metric != toldMetric }
}

extension InMemoryDatabase.Rows {
    /// Notes the receipt that came with an attestation; the newest stands.
    mutating func storeReceipt(of registration: KeyRegistration) {
        guard let fresh = registration.refresh else { return }
        let keyID = registration.key.keyID
        let day = registration.attestedAt.day
        guard var row = receipts[keyID] else {
            receipts[keyID] = InMemoryReceiptRow(
                state: fresh, appID: registration.key.appID, seenOn: day)
            return
        }
        guard row.state.createdAt <= fresh.createdAt,
            row.receipt == nil || row.state.end != nil
        else { return }
        let earliest = row.attemptedAt.map { $0.advanced(by: .seconds(86_400)) }
        let allowed = [earliest, row.state.nextAttempt].compactMap { $0 }.min()
        row.receipt = nil
        row.state.createdAt = fresh.createdAt
        row.state.notBefore = fresh.notBefore
        row.state.expiresAt = fresh.expiresAt
        row.state.failures = 0
        row.state.end = nil
        row.state.nextAttempt = [fresh.nextAttempt, allowed].compactMap { $0 }.max()
        row.seenOn = max(row.seenOn, day)
        row.lease += 1
        receipts[keyID] = row
    }

    /// Notes that a key was seen; makes the row where there is none.
    mutating func noteSeen(_ keyID: KeyID, _ sighting: Sighting) {
        guard var row = receipts[keyID] else {
            guard let registration = keys[keyID] else { return }
            receipts[keyID] = InMemoryReceiptRow(
                state: ReceiptState(
                    keyID: keyID, createdAt: registration.attestedAt, notBefore: nil,
                    expiresAt: registration.attestedAt.advanced(by: .seconds(90 * 86_400)),
                    failures: 0, nextAttempt: sighting.due),
                appID: registration.key.appID, seenOn: sighting.day)
            return
        }
        guard row.seenOn < sighting.day else { return }
        row.seenOn = sighting.day
        if row.state.nextAttempt == nil, row.state.end == nil {
            row.state.nextAttempt = max(sighting.due, row.state.notBefore ?? sighting.due)
        }
        receipts[keyID] = row
    }
}
