// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Kinds",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LayoutCache", path: "../..", traits: [])],
  targets: ["Calendar", "Mosaic"].map {
    .executableTarget(
      name: $0, dependencies: [.product(name: "LayoutCache", package: "LayoutCache")])
  }
)
