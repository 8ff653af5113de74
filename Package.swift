// swift-tools-version: 6.2
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
/// Values and spans only: not one `unsafe` in these targets.
let pure: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
    name: "attest-worker",
    products: [
        .library(name: "AppAttest", targets: ["AppAttest", "LibCrypto"]),
        .library(name: "AttestTestKit", targets: ["AttestTestKit"]),
        .executable(name: "attest-worker", targets: ["attest-worker"]),
    ],
    targets: [
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CRdkafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CCryptoShims", dependencies: ["CCrypto"]),
        .target(name: "CCurlShims", dependencies: ["CCurl"]),

        .target(
            name: "LibCrypto", dependencies: ["CCrypto", "CCryptoShims"], swiftSettings: strict),
        .target(name: "AppAttest", dependencies: ["LibCrypto"], swiftSettings: pure),
        .target(name: "Wire", dependencies: ["AppAttest", "LibCrypto"], swiftSettings: pure),
        .target(
            name: "Worker", dependencies: ["Wire", "AppAttest", "LibCrypto"], swiftSettings: pure),
        .target(
            name: "KafkaTransport", dependencies: ["Worker", "Wire", "CRdkafka"],
            swiftSettings: strict),
        .target(
            name: "PostgresStore",
            dependencies: ["Worker", "Wire", "AppAttest", "LibCrypto", "CPQ"],
            resources: [.embedInCode("sql")], swiftSettings: strict),
        .target(
            name: "Operations", dependencies: ["Worker", "AppAttest", "CMicrohttpd"],
            swiftSettings: strict),
        .target(
            name: "HTTPClient", dependencies: ["CCurl", "CCurlShims"], swiftSettings: strict),
        .target(
            name: "TraceExport", dependencies: ["HTTPClient", "Wire", "Worker"],
            swiftSettings: strict),
        .target(
            name: "AppleReceipts", dependencies: ["AppAttest", "HTTPClient", "Wire", "Worker"],
            swiftSettings: strict),
        .target(
            name: "Gateway",
            dependencies: [
                "Worker", "Wire", "AppAttest", "LibCrypto", "KafkaTransport", "Operations",
            ],
            swiftSettings: strict),
        .target(
            name: "AttestTestKit", dependencies: ["AppAttest", "LibCrypto"], swiftSettings: strict),
        .target(name: "SeededNumbers", swiftSettings: strict),
        .executableTarget(
            name: "attest-worker",
            dependencies: [
                "Worker", "Wire", "AppAttest", "LibCrypto", "KafkaTransport", "PostgresStore",
                "Operations", "AttestTestKit", "SeededNumbers", "TraceExport", "AppleReceipts",
                "HTTPClient", "Gateway",
            ],
            swiftSettings: strict),

        .executableTarget(
            name: "MockBroker", dependencies: ["CRdkafka", "KafkaTransport", "Worker"],
            path: "Tests/Support/MockBroker", swiftSettings: strict),
        .target(
            name: "Harness",
            dependencies: [
                "KafkaTransport", "PostgresStore", "AttestTestKit", "Worker", "Wire", "AppAttest",
                "LibCrypto", "SeededNumbers",
            ],
            path: "Tests/Support/Harness", swiftSettings: strict),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "Harness", "KafkaTransport", "PostgresStore", "AttestTestKit", "Worker", "Wire",
                "AppAttest", "SeededNumbers",
            ],
            path: "Tests/Support/Soak", swiftSettings: strict),
        .target(
            name: "KeyStoreSuite", dependencies: ["Worker", "Wire", "AppAttest", "LibCrypto"],
            path: "Tests/Support/KeyStoreSuite", swiftSettings: strict),

        .target(
            name: "TestHTTPServer", path: "Tests/Support/TestHTTPServer", exclude: ["server.py"],
            swiftSettings: strict),
        .target(
            name: "CBORWriter", dependencies: ["AppAttest"], path: "Tests/Support/CBORWriter",
            swiftSettings: strict),
        .target(name: "SampleKeys", path: "Tests/Support/SampleKeys", swiftSettings: strict),
        .target(
            name: "RecordedVectors", path: "Tests/Support/RecordedVectors", swiftSettings: strict),

        .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter"),
        .target(
            name: "BenchmarkSupport", dependencies: ["CCrypto"], path: "Benchmarks/Support",
            swiftSettings: strict),
        .executableTarget(
            name: "core-benchmark",
            dependencies: [
                "AllocationCounter", "AppAttest", "BenchmarkSupport", "LibCrypto",
                "RecordedVectors",
            ],
            path: "Benchmarks/Core", swiftSettings: strict),
        .executableTarget(
            name: "worker-benchmark",
            dependencies: [
                "AppAttest", "AttestTestKit", "BenchmarkSupport", "Harness", "KafkaTransport",
                "LibCrypto", "PostgresStore", "SeededNumbers", "Wire", "Worker",
            ],
            path: "Benchmarks/Worker", swiftSettings: strict),

        .testTarget(
            name: "LibCryptoTests", dependencies: ["LibCrypto", "SampleKeys"],
            swiftSettings: strict),
        .testTarget(
            name: "AppAttestTests",
            dependencies: [
                "AppAttest", "AttestTestKit", "CBORWriter", "LibCrypto", "RecordedVectors",
                "SeededNumbers",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AttestTestKitTests",
            dependencies: ["AttestTestKit", "RecordedVectors", "Wire", "AppAttest", "LibCrypto"],
            swiftSettings: strict),
        .testTarget(
            name: "WireTests",
            dependencies: ["Wire", "AppAttest", "AttestTestKit", "LibCrypto", "SeededNumbers"],
            swiftSettings: strict),
        .testTarget(
            name: "WorkerTests",
            dependencies: [
                "Worker", "Wire", "AppAttest", "LibCrypto", "AttestTestKit", "KeyStoreSuite",
                "SampleKeys", "SeededNumbers", "RecordedVectors",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "KafkaTransportTests", dependencies: ["KafkaTransport", "Worker", "Wire"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "PostgresStore", "Harness", "KeyStoreSuite", "Worker", "Wire", "AppAttest",
                "LibCrypto",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HarnessTests",
            dependencies: [
                "AttestTestKit", "Harness", "KafkaTransport", "LibCrypto", "Soak", "Wire", "Worker",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OperationsTests",
            dependencies: ["Operations", "Harness", "SampleKeys", "Worker", "AppAttest"],
            swiftSettings: strict),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "Operations", "AppAttest", "AttestTestKit", "Harness", "LibCrypto",
                "SeededNumbers", "Wire", "Worker",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "attest-worker", "Harness", "KafkaTransport", "PostgresStore", "AttestTestKit",
                "Worker", "Wire", "AppAttest", "LibCrypto", "Operations", "RecordedVectors",
                "SampleKeys", "SeededNumbers", "TestHTTPServer",
            ],
            exclude: ["check_tokens.py"], swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "attest-worker", "AppAttest", "AppleReceipts", "HTTPClient", "KeyStoreSuite",
                "AttestTestKit", "Harness", "KafkaTransport",
                "LibCrypto", "Operations", "PostgresStore", "RecordedVectors", "SampleKeys",
                "SeededNumbers", "Wire", "Worker",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DifferentialTests",
            dependencies: ["AppAttest", "AttestTestKit", "LibCrypto", "SeededNumbers"],
            path: "Tests/Differential", exclude: ["check.py", "requirements.txt"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["HTTPClient", "TestHTTPServer"],
            swiftSettings: strict),
        .testTarget(
            name: "TraceExportTests",
            dependencies: ["SeededNumbers", "TestHTTPServer", "TraceExport", "Wire", "Worker"],
            exclude: ["check_otlp.py"], swiftSettings: strict),
        .testTarget(name: "TidyTests", dependencies: ["Wire", "Worker"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// deploy/sanitize.sh builds everything twice more, and needs none of these.
if ProcessInfo.processInfo.environment["SANITIZE"] != nil {
    let unneeded = ["DifferentialTests", "EndToEndTests", "TidyTests"]
    package.targets.removeAll { unneeded.contains($0.name) }
}

// libFuzzer executables, built by deploy/fuzz.sh. They are not in the manifest otherwise: their
// flags would make every target that depends on this package unsafe to depend on.
if ProcessInfo.processInfo.environment["FUZZ"] != nil {
    let fuzzers: [(name: String, dependencies: [Target.Dependency])] = [
        ("FuzzCBOR", ["AppAttest", "CBORWriter"]),
        ("FuzzAuthenticatorData", ["AppAttest", "LibCrypto"]),
        ("FuzzAttestation", ["AppAttest", "LibCrypto"]),
        ("FuzzAssertion", ["AppAttest", "LibCrypto"]),
        ("FuzzReceipt", ["AppAttest", "LibCrypto"]),
        ("FuzzRequest", ["Wire"]),
    ]
    let instrumented: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]
    for target in package.targets where ["LibCrypto", "AppAttest", "Wire"].contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + instrumented
    }
    package.targets.append(
        .target(
            name: "FuzzDriver", path: "Tests/Fuzz/FuzzDriver",
            swiftSettings: strict + [.enableExperimentalFeature("Extern")]))
    for fuzzer in fuzzers {
        package.targets.append(
            .executableTarget(
                name: fuzzer.name,
                dependencies: fuzzer.dependencies + ["FuzzDriver", "RecordedVectors"],
                path: "Tests/Fuzz/\(fuzzer.name)", swiftSettings: strict + instrumented,
                // gold, the default linker of the toolchain, crashes on the instrumented objects.
                linkerSettings: [
                    .unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])
                ]))
    }
}
