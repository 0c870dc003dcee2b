// swift-tools-version: 6.2
import PackageDescription

/// Micro-benchmarks, a package of its own so that building the service builds none of them. The measured targets are the
/// service's sources themselves, by way of links: what is internal to the package can be measured without being public.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.101.2")],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "TextEncodings", swiftSettings: settings),
        .target(name: "DomainKit", swiftSettings: settings),
        .target(name: "CRMDomain", dependencies: ["DomainKit", "TextEncodings"], swiftSettings: settings),
        .target(name: "QueryCompiler", dependencies: ["DomainKit", "TextEncodings"], swiftSettings: settings),
        .target(name: "PostgresDriver", dependencies: ["CLibPQ"], exclude: ["README.md"], swiftSettings: settings),
        // The files of RPCServer that write rows, each by a link of its own: the whole needs an HTTP server.
        .target(
            name: "RowWriting",
            dependencies: ["JSON", "QueryCompiler", "PostgresDriver", .product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: settings),
        .executableTarget(
            name: "micro",
            dependencies: ["CLibPQ", "CRMDomain", "DomainKit", "PostgresDriver", "QueryCompiler", "RowWriting"],
            swiftSettings: settings),
    ]
)
