// swift-tools-version: 6.2
import PackageDescription

/// Boundaries between targets are kept by the compiler: imports are internal unless a file says `public import`,
/// members are visible only through modules a file imports itself, and a warning is an error.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings)
}

/// What the program does beside the methods of domains. The kernel knows none of them.
func capability(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Capabilities/\(name)", exclude: ["README.md"],
        swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies,
        exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "learntrack",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "learntrack", targets: ["learntrack"]),
        .library(name: "PostgresDriver", targets: ["PostgresDriver"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CXCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        library("JSON"),
        library("Threads"),
        library("TextEncodings"),
        library("DomainKit", ["JSON"]),
        library("AccountsDomain", ["DomainKit", "JSON"]),
        // Loads its libraries when it first draws, and is linked with none.
        .target(name: "CDrawing"),
        library("PDF", ["CDrawing", "CZlib"]),
        library("CRMDomain", ["DomainKit", "JSON", "PDF", "TextEncodings"]),
        library("CountingDomain", ["DomainKit", "JSON"], exclude: ["measure", "simulate"]),
        library("PostgresDriver", ["CLibPQ", "Threads"], exclude: ["README.md"]),
        library("QueryCompiler", ["DomainKit", "JSON", "TextEncodings"], exclude: ["README.md"]),
        library(
            "Auth", ["JSON", "PostgresDriver", "TextEncodings", "Threads", "CXCrypt", crypto], exclude: ["README.md"]),
        library("Mail", ["CCurl", "Threads"]),
        library("OutgoingHTTP", ["CCurl", "Threads"]),
        library("Observability", ["JSON", logging, metrics]),
        library(
            "HTTPServer",
            [
                "CZlib", "JSON", "Observability", "Threads", logging, metrics, lifecycle, nio, nioHTTP, nioPosix,
                nioTLS, nioSSL, nioHTTP2, nioHPACK,
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ], exclude: ["README.md"]),
        library(
            "RPCServer",
            [
                "JSON", "DomainKit", "QueryCompiler", "Auth", "PostgresDriver", "HTTPServer", "Observability",
                "TextEncodings", crypto, logging, metrics, nio, nioHTTP,
            ], exclude: ["Conventions/README.md", "Execution/README.md"]),
        capability("Jobs", ["DomainKit", "PostgresDriver", logging]),
        capability("Feed", ["Auth", "DomainKit", "HTTPServer", "JSON", "PostgresDriver", "RPCServer", nio, nioHTTP]),
        capability(
            "Outbox",
            [
                "DomainKit", "HTTPServer", "JSON", "PostgresDriver", "QueryCompiler", "RPCServer", "TextEncodings",
                logging,
            ]),
        capability(
            "Accounts",
            [
                "Auth", "DomainKit", "HTTPServer", "JSON", "Outbox", "PostgresDriver", "QueryCompiler", "RPCServer",
                "TextEncodings", nioHTTP,
            ]),
        capability(
            "Documents",
            [
                "Auth", "DomainKit", "HTTPServer", "JSON", "QueryCompiler", "RPCServer", "TextEncodings", "Threads",
                crypto, nio, nioHTTP,
            ]),
        capability(
            "Files",
            [
                "Auth", "Documents", "DomainKit", "HTTPServer", "JSON", "PostgresDriver", "RPCServer", crypto, nio,
                nioHTTP,
            ]),
        capability(
            "Signatures",
            [
                "Auth", "Documents", "DomainKit", "Files", "HTTPServer", "JSON", "Outbox", "PostgresDriver",
                "QueryCompiler", "RPCServer", "SigningPage", "TextEncodings", "Threads", crypto, nio, nioHTTP,
            ]),
        library(
            "Explorer", ["HTTPServer", "JSON", crypto, nio],
            resources: [.embedInCode("explorer.html"), .embedInCode("explorer.css"), .embedInCode("Scripts")]),
        library("FrontPages", ["HTTPServer", "TextEncodings", crypto, nio, nioHTTP]),
        library("DomainMigrations", ["DomainKit", "JSON", "QueryCompiler", "RPCServer"]),
        library(
            "TypeScriptClient", ["DomainKit", "JSON"],
            resources: [.embedInCode("runtime.ts"), .embedInCode("events.ts")]),
        library(
            "SigningPage", ["TextEncodings", crypto],
            resources: [.embedInCode("page.css"), .embedInCode("page.js")]),
        library("Migrations", ["PostgresDriver", "TextEncodings", crypto]),
        library("ChildProcesses", [.product(name: "Subprocess", package: "swift-subprocess"), system]),
        library("EmbeddedPostgres", ["ChildProcesses", "TextEncodings", system, logging]),
        library("Backups", ["ChildProcesses", "Migrations", "PostgresDriver", crypto]),
        library("PersonalData", ["DomainKit", "JSON", "PostgresDriver"]),
        library("TableFiles", ["DomainKit", "JSON", "PostgresDriver"]),
        library("ApplicationImport", ["ChildProcesses", "DomainKit", "JSON", "Auth", "PostgresDriver"]),
        library(
            "ServerProgram",
            [
                "Accounts", "Documents", "Feed", "Files", "Jobs", "Outbox", "Signatures",
                "AccountsDomain", "Backups", "ChildProcesses", "DomainKit", "JSON", "HTTPServer",
                "RPCServer", "Explorer",
                "FrontPages", "PDF", "QueryCompiler", "Auth",
                "PostgresDriver", "TextEncodings", "Migrations", "EmbeddedPostgres", "Mail", "Observability",
                "OutgoingHTTP", "PersonalData", "TableFiles",
                "DomainMigrations", "TypeScriptClient", argumentParser, logging, metrics, lifecycle, crypto,
            ]),
        .executableTarget(
            name: "learntrack",
            dependencies: [
                "CRMDomain", "CountingDomain", "DomainKit", "ServerProgram", "ApplicationImport", argumentParser,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "MeterReadings", dependencies: ["PostgresDriver"], path: "Examples/MeterReadings",
            swiftSettings: settings),
        .target(
            name: "Bookshop", dependencies: ["DomainKit", "JSON"], path: "Examples/Bookshop", exclude: ["migrations"],
            swiftSettings: settings),

        .target(name: "TestSupport", dependencies: [crypto], path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "TestPostgres",
            dependencies: ["ChildProcesses", "CLibPQ", "PostgresDriver", "TestSupport", "Threads"],
            path: "Tests/TestPostgres", swiftSettings: settings),
        .target(
            name: "TestSchema", dependencies: ["DomainKit", "JSON"], path: "Tests/TestSchema", swiftSettings: settings),
        .target(
            name: "ProbeDomain", dependencies: ["DomainKit", "JSON"], path: "Tests/ProbeDomain",
            exclude: ["migrations"], swiftSettings: settings),
        .target(
            name: "OddDomain", dependencies: ["DomainKit", "JSON"], path: "Tests/OddDomain", exclude: ["migrations"],
            swiftSettings: settings),
        .executableTarget(
            name: "probe-server",
            dependencies: [
                "Bookshop", "CountingDomain", "CRMDomain", "OddDomain", "ProbeDomain", "ServerProgram", argumentParser,
            ],
            path: "Tests/ProbeServer", swiftSettings: settings),
        .target(
            name: "TestMail", dependencies: ["ChildProcesses", "TestSupport"], path: "Tests/TestMail",
            exclude: ["faulty.py", "sink.py", "read.py"],
            swiftSettings: settings),
        .target(
            name: "TestPDF", dependencies: ["ChildProcesses", "CZlib", "TestSupport"], path: "Tests/TestPDF",
            swiftSettings: settings),
        .target(
            name: "TestWebhook", dependencies: ["ChildProcesses", "TestSupport"], path: "Tests/TestWebhook",
            exclude: ["receiver.py"], swiftSettings: settings),
        tests("PDF", ["TestPDF"]),
        tests("TestPostgres"),
        tests("DomainKit", ["JSON", "Bookshop"]),
        tests("CRMDomain", ["AccountsDomain", "DomainKit", "JSON", "PDF", "TestPDF"], exclude: ["Goldens"]),
        tests(
            "Bookshop",
            [
                "Accounts", "AccountsDomain", "Auth", "DomainKit", "JSON", "HTTPServer", "PostgresDriver", "RPCServer",
                "TestPostgres", nio,
                nioHTTP,
            ]),
        tests(
            "PostgresDriver", ["ChildProcesses", "MeterReadings", "TestPostgres", "Threads"],
            exclude: ["Faults/README.md"]),
        tests(
            "QueryCompiler", ["DomainKit", "JSON", "ChildProcesses"],
            exclude: ["Goldens", "Syntax/graphql_reference.py"]),
        tests("TextEncodings"),
        tests("HTTPServer", ["CZlib", "Observability", logging, lifecycle, nio, nioHTTP, nioPosix]),
        tests("Explorer", ["HTTPServer", crypto, nio]),
        tests("Auth", ["TestPostgres", "PostgresDriver", "TextEncodings", crypto]),
        tests("Mail", ["TestMail"]),
        tests("OutgoingHTTP"),
        tests("Observability", [logging, metrics]),
        tests(
            "RPCServer",
            [
                "Accounts", "Documents", "Outbox", "DomainKit", "QueryCompiler", "Auth", "PostgresDriver", "HTTPServer",
                "JSON", "TestSchema", "TypeScriptClient", logging, metrics, nio, nioHTTP,
            ]),
        .testTarget(
            name: "CapabilitiesTests",
            dependencies: [
                "Auth", "Documents", "DomainKit", "Feed", "Files", "RPCServer", "Signatures", "TestSupport",
            ], swiftSettings: settings),
        tests("Migrations", ["TestPostgres", "PostgresDriver"]),
        tests("ServerProgram", ["DomainKit", "Outbox", "RPCServer"]),
        tests(
            "DomainMigrations",
            [
                "AccountsDomain", "Bookshop", "CountingDomain", "DomainKit", "OddDomain", "PostgresDriver",
                "ProbeDomain",
                "RPCServer", "TestPostgres",
            ]),
        tests("TableFiles", ["DomainKit"]),
        tests("ChildProcesses"),
        tests("EmbeddedPostgres", ["ChildProcesses", "TestPostgres", logging]),
        tests(
            "ApplicationImport",
            ["AccountsDomain", "ChildProcesses", "TestPostgres", "PostgresDriver", "CRMDomain", "DomainKit", "JSON"]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "TestMail", "TestPDF", "TestPostgres", "TestSupport", "TestSchema", "TestWebhook", "PostgresDriver",
                "QueryCompiler",
                "Accounts", "Documents", "Files", "Outbox",
                "AccountsDomain", "CRMDomain", "CountingDomain", "ProbeDomain", "DomainKit", "JSON", "RPCServer",
                "Auth",
                "TextEncodings", crypto, nio,
                nioHTTP,
            ],
            exclude: ["Documents/read_calendar.py", "TLS/http2.py", "TypeScript/Programs"], swiftSettings: settings),
        // With the servers and clients of ServerTests.
        .testTarget(
            name: "CountingTests",
            dependencies: ["ServerTests", "TestPostgres", "TestSupport", "DomainKit", "JSON"], swiftSettings: settings),
    ]
)
