// swift-tools-version: 6.2
import PackageDescription

// A user's package, which depends on the library and sees only its public API.

let package = Package(
  name: "ClientPackage",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LayoutCache", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "Client", dependencies: [.product(name: "LayoutCache", package: "LayoutCache")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)
