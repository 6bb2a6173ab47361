// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Mounted",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LayoutCache", path: "../..", traits: ["Service"]),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "Mounted",
      dependencies: [
        .product(name: "LayoutCache", package: "LayoutCache"),
        .product(name: "LayoutCacheService", package: "LayoutCache"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ])
  ]
)
