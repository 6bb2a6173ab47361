// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the library does not depend on the benchmarks' dependencies. It uses
// the library's public API, and runs the built `layoutcache`, as users do.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let isStrict = Context.environment["LAYOUTCACHE_STRICT_BENCHMARKS"] != nil
let warnings: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LayoutCache", path: "..", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "BenchmarkBaselines", dependencies: ["CSQLite"]),
    .target(
      name: "BenchmarkCommands",
      dependencies: [
        "BenchmarkBaselines",
        .product(name: "LayoutCache", package: "LayoutCache"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "LayoutCacheBenchmark", dependencies: ["BenchmarkCommands"]),
    .testTarget(
      name: "LayoutCacheBenchmarkTests", dependencies: ["BenchmarkCommands", "BenchmarkBaselines"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = strict + warnings
}

// The tests run the release build that measures. Only this module's internal names are visible to
// them, so that the library is built as by its users.
for target in package.targets where target.name == "BenchmarkCommands" {
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing"])]
}
