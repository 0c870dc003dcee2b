// swift-tools-version: 6.2
import PackageDescription

/// Micro-benchmarks. They are a separate package, so that a build of the service does not build them. The measured targets
/// are links to the service's sources, so that declarations of package access need not be public.
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
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CDrawing"),
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "Threads", swiftSettings: settings),
        .target(name: "TextEncodings", swiftSettings: settings),
        .target(name: "DomainKit", dependencies: ["JSON"], swiftSettings: settings),
        .target(name: "PDF", dependencies: ["CDrawing", "CZlib"], swiftSettings: settings),
        .target(
            name: "CRMDomain", dependencies: ["DomainKit", "JSON", "PDF", "TextEncodings"], swiftSettings: settings),
        .target(
            name: "QueryCompiler", dependencies: ["DomainKit", "JSON", "TextEncodings"], exclude: ["README.md"],
            swiftSettings: settings),
        .target(
            name: "PostgresDriver", dependencies: ["CLibPQ", "Threads"], exclude: ["README.md"],
            swiftSettings: settings),
        // Links to the files of RPCServer that write rows. The whole of RPCServer needs an HTTP server.
        .target(
            name: "RowWriting",
            dependencies: ["JSON", "QueryCompiler", "PostgresDriver", .product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: settings),
        .executableTarget(
            name: "micro",
            dependencies: [
                "CLibPQ", "CRMDomain", "DomainKit", "JSON", "PostgresDriver", "QueryCompiler", "RowWriting",
            ],
            swiftSettings: settings),
    ]
)
