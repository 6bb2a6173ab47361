// swift-tools-version: 6.2.3
import PackageDescription

// The dependencies between modules, as in ARCHITECTURE.md: a target may depend only on targets
// listed before it. `Tests/TidyTests` checks the imports.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// Warnings are errors in the project's own test run. For users with a newer compiler they remain
// warnings.
let warnings: [SwiftSetting] =
  Context.environment["LAYOUTCACHE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

// The commit that `layoutcache --version` prints; `make release` gets it from git.
let stamp: [CSetting] =
  Context.environment["LAYOUTCACHE_COMMIT"].map {
    [.define("LAYOUTCACHE_COMMIT", to: "\"\($0)\"")]
  } ?? []

// Whether only the core is built, without the service and its packages.
let isCoreOnly = Context.environment["LAYOUTCACHE_CORE"] != nil

// Whether the shared log in PostgreSQL is built too. The Makefile sets this if libpq is installed.
let hasCluster = Context.environment["LAYOUTCACHE_CLUSTER"] != nil

let layoutCacheTestDependencies: [Target.Dependency] = [
  "LayoutCache", "LayoutStore", "CollectionLayout", "LayoutGeometry", "SumTree",
  "LayoutCacheSQLite", "TestSupport", "LayoutCacheTestSupport",
  .product(name: "Logging", package: "swift-log"),
]

let package = Package(
  name: "LayoutCache",
  platforms: [.macOS(.v15)],
  products: [
    .library(
      name: "LayoutCache", targets: ["LayoutCache", "CollectionLayout", "LayoutGeometry"]),
    // Configurations, attributes and custom kinds, without SQLite and the service.
    .library(name: "CollectionLayout", targets: ["CollectionLayout", "LayoutGeometry"]),
    .library(name: "LayoutGeometry", targets: ["LayoutGeometry"]),
    .executable(name: "layoutcache", targets: ["LayoutCacheCommand"]),
  ],
  traits: [
    .default(enabledTraits: isCoreOnly ? [] : ["Service"]),
    .trait(
      name: "Service",
      description: "`layoutcache serve` and LayoutCacheService, over HTTP."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(
      name: "Migrations",
      path: "migrations",
      resources: [.embedInCode("M0001_contexts.sql")]),
    // The system's SQLite. The prefix keeps the name unique: one build cannot contain two targets
    // of the same name, even from different packages.
    .systemLibrary(name: "LayoutCacheSQLite", providers: [.apt(["libsqlite3-dev"])]),
    // The system's zlib, for gzip in imports and in the service's answers.
    .systemLibrary(name: "LayoutCacheZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "LayoutGeometry"),
    .target(name: "SumTree"),
    .target(name: "JSONText", dependencies: ["LayoutGeometry"]),
    .target(name: "Threads"),
    .target(
      name: "DemoSample", exclude: ["tate-sample.csv"]),
    .target(name: "BuildStamp", cSettings: stamp),
    .target(name: "CollectionLayout", dependencies: ["LayoutGeometry", "JSONText"]),
    .target(
      name: "LayoutStore",
      dependencies: ["LayoutGeometry", "Migrations", "SumTree", "LayoutCacheSQLite"]),
    .target(
      name: "LayoutCache",
      dependencies: [
        "LayoutGeometry", "CollectionLayout", "SumTree", "LayoutStore", "JSONText", "Threads",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "TextFormats",
      dependencies: ["LayoutCache", "LayoutGeometry", "JSONText", "LayoutCacheZlib"]),
    .target(
      name: "LayoutReplication",
      dependencies: ["LayoutCache", "LayoutGeometry", "LayoutStore", "SumTree"]),
    .target(
      name: "LayoutCluster",
      dependencies: [
        "LayoutReplication", "LayoutCache", "LayoutGeometry", "Threads",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "LayoutCacheCommand",
      dependencies: [
        "LayoutCache", "LayoutGeometry", "CollectionLayout", "TextFormats", "DemoSample",
        "BuildStamp",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: (isCoreOnly ? ["Serve"] : []) + (hasCluster ? [] : ["Cluster"]),
      swiftSettings: hasCluster ? [.define("Cluster")] : []),

    // The packages in Examples, repeated here so that the tests build and run them.
    .executableTarget(
      name: "TimelineExample", dependencies: ["LayoutCache"],
      path: "Examples/Timeline/Sources/Timeline"),
    .executableTarget(
      name: "CalendarExample", dependencies: ["LayoutCache"],
      path: "Examples/Kinds/Sources/Calendar"),
    .executableTarget(
      name: "MosaicExample", dependencies: ["LayoutCache"],
      path: "Examples/Kinds/Sources/Mosaic"),
    .executableTarget(
      name: "ChangeStreamExample", dependencies: ["LayoutCache"],
      path: "Examples/ChangeStream/Sources/ChangeStream"),

    // A user's program, with a user's settings: it names every public type.
    .executableTarget(
      name: "Client", dependencies: ["LayoutCache"], path: "Tests/Client", packageAccess: false),

    .target(name: "TestSupport", dependencies: ["LayoutCacheSQLite"], path: "Tests/TestSupport"),
    // The contract that every implementation of a shared log must satisfy.
    .target(
      name: "ClusterTestSupport",
      dependencies: ["LayoutCluster", "LayoutReplication", "LayoutCache", "TestSupport"],
      path: "Tests/ClusterTestSupport"),
    .testTarget(
      name: "LayoutGeometryTests", dependencies: ["LayoutGeometry", "TestSupport"]),
    .testTarget(name: "SumTreeTests", dependencies: ["SumTree", "TestSupport"]),
    .testTarget(
      name: "JSONTextTests",
      dependencies: ["JSONText", "LayoutGeometry", "CollectionLayout", "TestSupport"]),
    .testTarget(name: "ThreadsTests", dependencies: ["Threads"]),
    .testTarget(
      name: "TextFormatsTests",
      dependencies: ["TextFormats", "LayoutCache", "LayoutGeometry", "TestSupport"]),
    .testTarget(
      name: "CollectionLayoutTests",
      dependencies: ["CollectionLayout", "JSONText", "LayoutGeometry", "TestSupport"]),
    .testTarget(
      name: "LayoutStoreTests",
      dependencies: ["LayoutStore", "LayoutCacheSQLite", "Migrations", "SumTree", "TestSupport"]),
    .target(
      name: "LayoutCacheTestSupport",
      dependencies: [
        "LayoutCache", "LayoutStore", "CollectionLayout", "LayoutGeometry", "SumTree",
        "LayoutCacheSQLite", "TestSupport", "TimelineExample",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/LayoutCacheTestSupport"),
    // Five separate targets: `make quick` runs the first and the last.
    .testTarget(
      name: "LayoutCacheTests",
      dependencies: layoutCacheTestDependencies + ["Threads"],
      // Read from the checkout, so that failures print the paths of the files there.
      exclude: ["Golden", "Layouts"]),
    // Random runs against an oracle.
    .testTarget(name: "LayoutCachePropertyTests", dependencies: layoutCacheTestDependencies),
    // Large inputs, and those that break comparable programs.
    .testTarget(name: "LayoutCacheScaleTests", dependencies: layoutCacheTestDependencies),
    // Several processes, processes that are killed, failing disks, damaged files.
    .testTarget(
      name: "LayoutCacheProcessTests",
      dependencies: layoutCacheTestDependencies + ["Migrations"],
      exclude: ["Stored"]),
    .testTarget(
      name: "LayoutCacheExampleTests",
      dependencies: layoutCacheTestDependencies + [
        "TimelineExample", "CalendarExample", "MosaicExample", "ChangeStreamExample",
      ]),
    .testTarget(
      name: "LayoutCacheCommandTests",
      dependencies: [
        "LayoutCacheCommand", "CollectionLayout", "LayoutGeometry", "TextFormats", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // Read from the checkout, so that failures print the lines of the files there.
      exclude: ["Transcripts"] + (isCoreOnly ? ["LogAddressTests.swift"] : [])),
    .testTarget(
      name: "BrowserTests",
      dependencies: ["LayoutCache", "CollectionLayout", "LayoutGeometry", "TestSupport"],
      // Read from the checkout by Python.
      exclude: ["lay_out.py"]),
    // Several nodes over a log in memory, with seeded faults, and the checker of the histories
    // that their clients observed.
    .target(
      name: "ClusterSimulation",
      dependencies: [
        "LayoutCluster", "LayoutReplication", "LayoutCache", "LayoutGeometry", "CollectionLayout",
        "TestSupport", "ClusterTestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/ClusterSimulation"),
    .executableTarget(
      name: "SimulateCluster", dependencies: ["ClusterSimulation", "LayoutCache"],
      path: "Tests/SimulateCluster"),
    .executableTarget(
      name: "CheckHistory", dependencies: ["ClusterSimulation"], path: "Tests/CheckHistory"),
    .testTarget(
      name: "LayoutClusterTests",
      dependencies: [
        "LayoutCluster", "LayoutReplication", "LayoutCache", "LayoutGeometry", "CollectionLayout",
        "ClusterSimulation", "ClusterTestSupport", "LayoutCacheTestSupport", "TestSupport",
        "Threads",
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Stored"]),
    .testTarget(name: "TidyTests", dependencies: ["Migrations"]),
  ]
)

// MARK: - The shared log in PostgreSQL

if hasCluster {
  package.targets += [
    // PostgreSQL's client library.
    .systemLibrary(
      name: "LayoutCacheLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "PostgresLog",
      dependencies: ["LayoutCluster", "LayoutReplication", "LayoutCache", "LayoutCacheLibpq"],
      resources: [.embedInCode("Schema/P0005_log.sql")]),
    // The program that `Scripts/bench-cluster-log.sh` measures with.
    .executableTarget(
      name: "ClusterLogBenchmark",
      dependencies: [
        "PostgresLog", "LayoutCluster", "LayoutReplication", "LayoutCache", "CollectionLayout",
        "LayoutGeometry",
      ],
      path: "Benchmarks/ClusterLog"),
    .testTarget(
      name: "PostgresLogTests",
      dependencies: [
        "PostgresLog", "LayoutCluster", "LayoutReplication", "LayoutCache", "ClusterTestSupport",
        "TestSupport",
      ]),
  ]
}

if hasCluster {
  for target in package.targets where target.name == "LayoutCacheCommand" {
    target.dependencies += ["LayoutCluster", "PostgresLog"]
  }
}

// MARK: - The service

/// A product that only the service needs: not resolved if the trait is disabled.
func service(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Service"]))
}

if !isCoreOnly {
  package.products += [
    .library(name: "LayoutCacheService", targets: ["LayoutCacheService"])
  ]
  package.dependencies += [
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ]
  package.targets += [
    .target(
      name: "ServicePage", exclude: ["Client", "Inspector", "openapi.json"]),
    .target(
      name: "LayoutCacheService",
      dependencies: [
        "LayoutCache", "LayoutCluster", "LayoutGeometry", "CollectionLayout", "TextFormats",
        "JSONText", "Threads", "LayoutCacheZlib", "ServicePage",
        .product(name: "Logging", package: "swift-log"),
        service("Hummingbird", "hummingbird"),
        service("HummingbirdCore", "hummingbird"),
        service("AsyncAlgorithms", "swift-async-algorithms"),
        service("HTTPTypes", "swift-http-types"),
        service("NIOCore", "swift-nio"),
        service("NIOPosix", "swift-nio"),
        service("NIOHTTP1", "swift-nio"),
        service("NIOHTTPTypes", "swift-nio-extras"),
        service("NIOHTTPTypesHTTP1", "swift-nio-extras"),
        service("ServiceLifecycle", "swift-service-lifecycle"),
      ]),
    // The package in Examples, repeated here so that the tests build and run it.
    .executableTarget(
      name: "MountedExample",
      dependencies: [
        "LayoutCacheService", "LayoutCache",
        .product(name: "Logging", package: "swift-log"),
        service("Hummingbird", "hummingbird"), service("NIOCore", "swift-nio"),
      ],
      path: "Examples/Mounted/Sources/Mounted"),
    // The baseline of the service's throughput.
    .executableTarget(
      name: "FixedBody",
      dependencies: [service("Hummingbird", "hummingbird"), service("NIOCore", "swift-nio")],
      path: "Benchmarks/FixedBody"),
    .testTarget(
      name: "LayoutServiceTests",
      dependencies: [
        "LayoutCacheService", "LayoutCluster", "LayoutReplication", "LayoutCache", "LayoutGeometry",
        "ClusterSimulation", "ClusterTestSupport", "TestSupport", "MountedExample",
        .product(name: "Logging", package: "swift-log"),
        service("Hummingbird", "hummingbird"),
        service("HTTPTypes", "swift-http-types"),
        service("NIOCore", "swift-nio"),
        service("NIOEmbedded", "swift-nio"),
        service("NIOHTTPTypes", "swift-nio-extras"),
        service("ServiceLifecycle", "swift-service-lifecycle"),
      ]),
  ]
  for target in package.targets where target.name == "LayoutCacheCommand" {
    target.dependencies += [
      .target(name: "LayoutCacheService", condition: .when(traits: ["Service"])),
      service("ServiceLifecycle", "swift-service-lifecycle"),
      service("UnixSignals", "swift-service-lifecycle"),
    ]
  }
}

for target in package.targets
where target.type != .system && !["DemoSample", "BuildStamp", "ServicePage"].contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + (target.name == "Client" ? [] : strict) + warnings
}

// The tests compute mostly in these modules: optimized, with assertions, they take a fraction of
// the time. Such flags exclude a package as a dependency, so only the project's own test run has
// them.
if Context.environment["LAYOUTCACHE_STRICT"] != nil {
  let optimized: Set = [
    "LayoutGeometry", "SumTree", "JSONText", "CollectionLayout", "LayoutStore", "LayoutCache",
    "TextFormats", "LayoutCluster", "TestSupport", "ClusterSimulation",
  ]
  for target in package.targets where optimized.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
  }
  // For `make docs`: swift-symbolgraph-extract fails on modules that are imported internally.
  let documented: Set = ["LayoutCache", "CollectionLayout", "LayoutGeometry"]
  for target in package.targets where documented.contains(target.name) {
    target.swiftSettings?.append(
      .unsafeFlags([
        "-emit-symbol-graph", "-emit-symbol-graph-dir",
        "\(Context.packageDirectory)/.build/symbols",
      ]))
  }
}
