internal import AppAttest
internal import Wire

// The rules that an operator can set for each app, in the order of `AppRules`.

extension KeyRule {
    /// A known key may be attested again.
    static let reattestation = KeyRule { given in
        guard given.stored != nil, let app = given.app, app.rules.reattestation != .accept else {
            return nil
        }
        return .worker(.keyAlreadyRegistered)
    } enforcement: { app in
        app.rules.reattestation == .report ? .report : .enforce
    }

    /// An owner registers no more keys within a time than the app allows.
    static let keysPerSubject = KeyRule { given in
        guard case .attestation = given.object, given.stored == nil, given.subject != nil,
            let limit = given.app?.rules.keysPerSubject, limit.keysMax > 0
        else { return nil }
        let since = given.instant.advanced(by: .zero - limit.within)
        guard given.owned.count(where: { $0 > since }) >= limit.keysMax else { return nil }
        return .worker(.tooManyKeys)
    } enforcement: {
        $0.rules.keysPerSubject.enforcement
    }

    /// The app's code was signed and distributed as it may be.
    static let validationCategory = KeyRule { given in
        guard let policy = given.app?.rules.validationCategories else { return nil }
        return judge(
            given.extensions.validationCategory, policy.presence, in: given.extensions,
            missing: .validationCategoryMissing, notAllowed: .validationCategoryNotAllowed
        ) { category in
            policy.allow.isEmpty || policy.allow.contains { $0.includes(category) }
        }
    } enforcement: { app in
        app.rules.validationCategories.mode
    }

    /// The app's build is one that is taken, and not too old.
    static let bundleVersion = KeyRule { given in
        guard let policy = given.app?.rules.bundleVersions else { return nil }
        return judge(
            given.extensions.bundleVersion, policy.presence, in: given.extensions,
            missing: .bundleVersionMissing, notAllowed: .bundleVersionNotAllowed
        ) { text in
            // Byte by byte, as everything that is signed.
            let isListed =
                policy.allow.isEmpty || policy.allow.contains { $0.utf8.elementsEqual(text.utf8) }
            guard let minimum = policy.minimum else { return isListed }
            return isListed && (BundleVersion(text).map { $0 >= minimum } ?? false)
        }
    } enforcement: { app in
        app.rules.bundleVersions.mode
    }

    /// The app's code is one that is known.
    static let cdHash = KeyRule { given in
        guard let policy = given.app?.rules.cdHashes else { return nil }
        return judge(
            given.extensions.cdHash, policy.presence, in: given.extensions,
            missing: .cdHashMissing, notAllowed: .cdHashNotAllowed
        ) { _ in
            policy.allow.isEmpty
                || CodeDirectoryHash(given.extensions).map(policy.allow.contains) ?? false
        }
    } enforcement: { app in
        app.rules.cdHashes.mode
    }

    /// The key lives on a system on which the app exists.
    ///
    /// A certificate that names no system passes unless the app exists for Macs alone: earlier iOS
    /// said nothing, and every Mac says it.
    static let platform = KeyRule { given in
        guard case .attestation(let attestation) = given.object,
            let allowed = given.app?.rules.platforms.allow
        else { return nil }
        let platform = attestation.platform.map(Platform.init(rawValue:)) ?? .iOS
        let isAllowed = platform.map(allowed.contains) ?? (allowed == Set(Platform.allCases))
        return isAllowed ? nil : .worker(.platformNotAllowed)
    } enforcement: { app in
        app.rules.platforms.mode
    }

    /// A sign count is not far above the highest one before it.
    static let counterJump = KeyRule { given in
        guard case .assertion(let assertion) = given.object, let stored = given.stored,
            let most = given.app?.rules.counterJump.max,
            Int(assertion.signCount) - Int(stored.signCount) > most
        else { return nil }
        return .worker(.counterJump)
    } enforcement: { app in
        app.rules.counterJump.mode
    }

    /// The request is as fresh as this app wants it.
    static let requestTime = KeyRule { given in
        guard let policy = given.app?.rules.requestTime else { return nil }
        if let skew = policy.maxSkew, given.instant > given.now.advanced(by: skew) {
            return .worker(.requestFromTheFuture)
        }
        if let age = policy.maxAge, given.instant < given.now.advanced(by: .zero - age) {
            return .worker(.requestTooOld)
        }
        return nil
    } enforcement: { app in
        app.rules.requestTime.mode
    }

    /// The key was attested not too long ago.
    static let attestationAge = KeyRule { given in
        guard let attestedOn = given.stored?.attestedOn,
            let most = given.app?.rules.attestationAge.maxDays,
            Day(given.instant).days(since: attestedOn) > most
        else { return nil }
        return .worker(.attestationTooOld)
    } enforcement: { app in
        app.rules.attestationAge.mode
    }

    /// The key was used not too long ago; one of which that is not known yet passes.
    static let idleTime = KeyRule { given in
        guard let lastUsedOn = given.stored?.lastUsedOn,
            let most = given.app?.rules.idleTime.maxDays,
            Day(given.instant).days(since: lastUsedOn) > most
        else { return nil }
        return .worker(.keyIdle)
    } enforcement: { app in
        app.rules.idleTime.mode
    }
}

/// Holds a signed value against a policy.
///
/// - Parameters:
///   - value: the value, where the device signed one.
///   - presence: whether it must be there.
///   - extensions: what it stands in. A value that must be there counts only where flag ED
///     announces it: without the flag, code inside the app could have put it there.
///   - missing: the reason where it must be there and is not.
///   - notAllowed: the reason where it is not taken.
///   - isAllowed: whether it is taken.
/// - Returns: why the object is refused; nil if it is not.
private func judge<Value>(
    _ value: Value?, _ presence: Presence, in extensions: SignedExtensions,
    missing: WorkerReason, notAllowed: WorkerReason, isAllowed: (Value) -> Bool
) -> Reason? {
    switch (presence, value) {
    case (.ignored, _), (.ifPresent, nil): return nil
    case (.required, nil): return .worker(missing)
    case (.required, .some) where !extensions.isAnnounced: return .worker(missing)
    case (.required, let value?), (.ifPresent, let value?):
        return isAllowed(value) ? nil : .worker(notAllowed)
    }
}
