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

let warnings: [SwiftSetting] =
  Context.environment["LAYOUTCACHE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

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
    .executableTarget(
      name: "LayoutCacheBenchmark",
      dependencies: [
        "BenchmarkBaselines",
        .product(name: "LayoutCache", package: "LayoutCache"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "LayoutCacheBenchmarkTests",
      dependencies: ["LayoutCacheBenchmark", "BenchmarkBaselines"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = strict + warnings
}
