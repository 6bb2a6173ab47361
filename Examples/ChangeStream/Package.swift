// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ChangeStream",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LayoutCache", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "ChangeStream",
      dependencies: [.product(name: "LayoutCache", package: "LayoutCache")])
  ]
)
