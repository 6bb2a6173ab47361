// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what only benchmarks need is no dependency of the
// library. It runs the built `layoutcache` as its users do.

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(name: "ImportBenchmark", dependencies: ["CSQLite"]),
  ]
)
